// @ts-check
/**
 * QR codes (ISO/IEC 18004): byte mode, error correction level M, versions 1 to 6 (up to 106 bytes), which is plenty
 * for the address of a table.
 */

/** By version: data codewords of each block at level M, and error correction codewords per block. */
const BLOCKS = [
  null,
  { data: [16], check: 10 },
  { data: [28], check: 16 },
  { data: [44], check: 26 },
  { data: [32, 32], check: 18 },
  { data: [43, 43], check: 24 },
  { data: [27, 27, 27, 27], check: 16 },
];

const BYTE_MODE = 0b0100;
const LEVEL_M = 0b00;
const FORMAT_GENERATOR = 0b10100110111;
const FORMAT_MASK = 0b101010000010010;

/** The eight masks, as conditions under which a module is turned over. @type {((row: number, column: number) => boolean)[]} */
export const MASKS = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

/**
 * The modules of the QR code of a text: rows of booleans, true is dark, without the quiet zone. Throws a RangeError
 * where the text has more than 106 bytes of UTF-8.
 *
 * @param {string} text
 * @returns {boolean[][]}
 */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const codewords = interleaved(version, dataCodewords(version, bytes));
  const candidates = MASKS.map((_, mask) => drawn(version, codewords, mask));
  const scores = candidates.map(penalty);
  return candidates[scores.indexOf(Math.min(...scores))];
}

function versionFor(/** @type {number} */ length) {
  // Mode and length take 12 bits, so that two bytes of the block are gone.
  const version = BLOCKS.findIndex((blocks) => blocks !== null && sum(blocks.data) >= length + 2);
  if (version < 0) throw new RangeError(`${length} bytes are too many for a QR code of version 6`);
  return version;
}

const blocksOf = (/** @type {number} */ version) => /** @type {{data: number[], check: number}} */ (BLOCKS[version]);
const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);

function dataCodewords(/** @type {number} */ version, /** @type {Uint8Array} */ bytes) {
  // Four bits of mode push everything half a byte along.
  const nibbles = [BYTE_MODE, bytes.length >> 4, bytes.length & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  const data = [];
  for (let at = 0; at < nibbles.length; at += 2) data.push((nibbles[at] << 4) | nibbles[at + 1]);
  for (let pad = 0xec; data.length < sum(blocksOf(version).data); pad ^= 0xec ^ 0x11) data.push(pad);
  return data;
}

/** Data and check codewords in the order in which they are drawn. */
function interleaved(/** @type {number} */ version, /** @type {number[]} */ data) {
  const { data: sizes, check } = blocksOf(version);
  let at = 0;
  const blocks = sizes.map((size) => data.slice(at, (at += size)));
  const checks = blocks.map((block) => checkCodewords(block, check));
  return [...columns(blocks), ...columns(checks)];
}

const columns = (/** @type {number[][]} */ rows) => rows[0].flatMap((_, at) => rows.map((row) => row[at]));

// Reed-Solomon over GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1.

const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}

const times = (/** @type {number} */ a, /** @type {number} */ b) => (a && b ? EXP[LOG[a] + LOG[b]] : 0);

/** The remainder of the block's polynomial by the generator of `count` roots. @returns {number[]} */
export function checkCodewords(/** @type {number[]} */ block, /** @type {number} */ count) {
  let generator = [1];
  for (let root = 0; root < count; root += 1) {
    generator = [...generator, 0].map((each, at) => each ^ (at ? times(generator[at - 1], EXP[root]) : 0));
  }
  const rest = [...block, ...new Array(count).fill(0)];
  for (let at = 0; at < block.length; at += 1) {
    const lead = rest[at];
    generator.forEach((each, along) => (rest[at + along] ^= times(each, lead)));
  }
  return rest.slice(block.length);
}

// Drawing.

/** The size of a version in modules. */
const sizeOf = (/** @type {number} */ version) => 17 + 4 * version;

function drawn(/** @type {number} */ version, /** @type {number[]} */ codewords, /** @type {number} */ mask) {
  const size = sizeOf(version);
  /** @type {(boolean | null)[][]} */
  const modules = Array.from({ length: size }, () => new Array(size).fill(null));
  drawFixed(modules, version);
  drawFormat(modules, mask);
  const isFixed = modules.map((row) => row.map((module) => module !== null));
  for (const { row, column, index } of path(isFixed)) {
    const bit = index < codewords.length * 8 && (codewords[index >> 3] >> (7 - (index & 7))) & 1;
    modules[row][column] = Boolean(bit) !== MASKS[mask](row, column);
  }
  return /** @type {boolean[][]} */ (modules);
}

/**
 * The places of the data bits, in order: up and down through pairs of columns from the right, around what is fixed.
 *
 * @param {boolean[][]} isFixed
 */
export function path(isFixed) {
  const size = isFixed.length;
  const places = [];
  let up = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // The vertical timing line has its column for itself.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = up ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (!isFixed[row][column]) places.push({ row, column, index: places.length });
      }
    }
    up = !up;
  }
  return places;
}

/** Finders, timing lines, the alignment pattern and the dark module; the format's places are drawn after them. */
function drawFixed(/** @type {(boolean | null)[][]} */ modules, /** @type {number} */ version) {
  const size = modules.length;
  const set = (/** @type {number} */ row, /** @type {number} */ column, /** @type {boolean} */ dark) => {
    if (row >= 0 && column >= 0 && row < size && column < size) modules[row][column] = dark;
  };
  for (let at = 8; at < size - 8; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ]) {
    for (let row = -1; row <= 7; row += 1) {
      for (let column = -1; column <= 7; column += 1) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        set(top + row, left + column, ring !== 2 && ring !== 4);
      }
    }
  }
  if (version > 1) {
    const centre = size - 7;
    for (let row = -2; row <= 2; row += 1) {
      for (let column = -2; column <= 2; column += 1) {
        set(centre + row, centre + column, Math.max(Math.abs(row), Math.abs(column)) !== 1);
      }
    }
  }
}

/** The fifteen bits that name level and mask. @param {number} mask */
export function formatBits(mask) {
  const data = (LEVEL_M << 3) | mask;
  let rest = data << 10;
  for (let bit = 14; bit >= 10; bit -= 1) if ((rest >> bit) & 1) rest ^= FORMAT_GENERATOR << (bit - 10);
  return ((data << 10) | rest) ^ FORMAT_MASK;
}

function drawFormat(/** @type {(boolean | null)[][]} */ modules, /** @type {number} */ mask) {
  const size = modules.length;
  const bits = formatBits(mask);
  for (let at = 0; at < 15; at += 1) {
    const dark = Boolean((bits >> at) & 1);
    // Around the finder at the top left, past the timing lines; and again along the other two.
    if (at < 8) modules[at < 6 ? at : at + 1][8] = dark;
    else modules[8][at === 8 ? 7 : 14 - at] = dark;
    if (at < 8) modules[8][size - 1 - at] = dark;
    else modules[size - 15 + at][8] = dark;
  }
  modules[size - 8][8] = true;
}

/** How hard a code is to read: long runs, blocks, finder-like rows, and more of one colour. */
function penalty(/** @type {boolean[][]} */ modules) {
  const size = modules.length;
  const across = modules.map((row) => row.map((dark) => (dark ? "1" : "0")).join(""));
  const down = modules.map((_, column) => modules.map((row) => (row[column] ? "1" : "0")).join(""));
  let score = 0;
  for (const line of [...across, ...down]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) score += run.length - 2;
    score += 40 * (line.match(/(?=10111010000)|(?=00001011101)/g)?.length ?? 0);
  }
  for (let row = 1; row < size; row += 1) {
    for (let column = 1; column < size; column += 1) {
      const square = [
        modules[row][column],
        modules[row - 1][column],
        modules[row][column - 1],
        modules[row - 1][column - 1],
      ];
      if (square.every((dark) => dark === square[0])) score += 3;
    }
  }
  const dark = across.join("").replaceAll("0", "").length / size ** 2;
  return score + 10 * Math.floor(Math.abs(dark * 100 - 50) / 5);
}
