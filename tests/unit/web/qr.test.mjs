// QR codes, read back by a reader of their own that shares nothing with the writer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { checkCodewords, formatBits, qrCode } from "../../../services/parlor/gateway/web/ui/qr.js";

/** Total codewords, blocks, and check codewords of each block at level M, by version: ISO/IEC 18004, table 9. */
const TABLE = { 1: [26, 1, 10], 2: [44, 1, 16], 3: [70, 1, 26], 4: [100, 2, 18], 5: [134, 2, 24], 6: [172, 4, 16] };

/** The text of a code; fails where anything about it is not as the standard says. */
function read(modules) {
  const size = modules.length;
  const version = (size - 17) / 4;
  const bit = (row, column) => (modules[row][column] ? 1 : 0);
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ]) {
    const rows = [0, 1, 2, 3, 4, 5, 6].map((row) =>
      [0, 1, 2, 3, 4, 5, 6].map((column) => bit(top + row, left + column)).join(""),
    );
    assert.deepEqual(rows, ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]);
  }
  for (let at = 8; at < size - 8; at += 1) assert.deepEqual([bit(6, at), bit(at, 6)], [1 - (at % 2), 1 - (at % 2)]);
  assert.equal(bit(size - 8, 8), 1, "the dark module");

  const around = [
    [8, 0],
    [8, 1],
    [8, 2],
    [8, 3],
    [8, 4],
    [8, 5],
    [8, 7],
    [8, 8],
    [7, 8],
    [5, 8],
    [4, 8],
    [3, 8],
    [2, 8],
    [1, 8],
    [0, 8],
  ];
  const along = around.map((_, at) => (at < 7 ? [size - 1 - at, 8] : [8, size - 15 + at]));
  const [format, copy] = [around, along].map((places) =>
    parseInt(places.map(([row, column]) => bit(row, column)).join(""), 2),
  );
  assert.equal(format, copy);
  const data = (format ^ 0b101010000010010) >> 10;
  assert.equal(data >> 3, 0b00, "level M");
  const mask = data & 7;

  const isFixed = (row, column) =>
    row === 6 ||
    column === 6 ||
    (row < 9 && column < 9) ||
    (row < 9 && column >= size - 8) ||
    (row >= size - 8 && column < 9) ||
    (version > 1 && Math.abs(row - (size - 7)) <= 2 && Math.abs(column - (size - 7)) <= 2);
  const turned = {
    0: (i, j) => (i + j) % 2,
    1: (i) => i % 2,
    2: (i, j) => j % 3,
    3: (i, j) => (i + j) % 3,
    4: (i, j) => ((i >> 1) + Math.floor(j / 3)) % 2,
    5: (i, j) => ((i * j) % 2) + ((i * j) % 3),
    6: (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2,
    7: (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2,
  }[mask];
  const bits = [];
  const pairs = Array.from({ length: (size - 1) / 2 }, (_, at) => size - 1 - 2 * at).map((right) =>
    right <= 6 ? right - 1 : right,
  );
  pairs.forEach((right, pair) => {
    for (let step = 0; step < size; step += 1) {
      const row = pair % 2 ? step : size - 1 - step;
      for (const column of [right, right - 1])
        if (!isFixed(row, column)) bits.push(bit(row, column) ^ (turned(row, column) === 0 ? 1 : 0));
    }
  });
  const [total, blocks, check] = TABLE[version];
  const codewords = Array.from({ length: total }, (_, at) => parseInt(bits.slice(8 * at, 8 * at + 8).join(""), 2));
  const each = Array.from({ length: blocks }, (_, block) => codewords.filter((_, at) => at % blocks === block));
  for (const block of each) assert.deepEqual(syndromes(block, check), new Array(check).fill(0));

  const stream = each
    .flatMap((block) => block.slice(0, -check))
    .map((word) => word.toString(2).padStart(8, "0"))
    .join("");
  assert.equal(stream.slice(0, 4), "0100", "byte mode");
  const length = parseInt(stream.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, at) => parseInt(stream.slice(12 + 8 * at, 20 + 8 * at), 2));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Values of the block's polynomial at the roots of the generator: all zero where nothing is damaged. */
function syndromes(block, count) {
  const times = (a, b) => {
    let product = 0;
    for (; b; b >>= 1, a = (a << 1) ^ (a & 0x80 ? 0x11d : 0)) if (b & 1) product ^= a;
    return product;
  };
  let root = 1;
  return Array.from({ length: count }, () => {
    const value = block.reduce((sum, word) => times(sum, root) ^ word, 0);
    root = times(root, 2);
    return value;
  });
}

test("the format's fifteen bits are those of the standard", () => {
  const published = [
    "101010000010010",
    "101000100100101",
    "101111001111100",
    "101101101001011",
    "100010111111001",
    "100000011001110",
    "100111110010111",
    "100101010100000",
  ];
  assert.deepEqual(
    published.map((_, mask) => formatBits(mask).toString(2)),
    published,
  );
});

test("check codewords are those of the worked example of a code 1-M", () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
  assert.deepEqual(checkCodewords(data, 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

for (const [length, version] of [
  [1, 1],
  [14, 1],
  [15, 2],
  [26, 2],
  [27, 3],
  [42, 3],
  [43, 4],
  [62, 4],
  [63, 5],
  [84, 5],
  [85, 6],
  [106, 6],
]) {
  test(`${length} bytes are version ${version} and read back the same`, () => {
    const text = "https://parlor.example/#/join/123456?".repeat(4).slice(0, length);
    const code = qrCode(text);
    assert.equal(code.length, 17 + 4 * version);
    assert.equal(read(code), text);
  });
}

test("text is UTF-8, and what is too long is refused", () => {
  assert.equal(read(qrCode("雅座 ♥")), "雅座 ♥");
  assert.throws(() => qrCode("x".repeat(107)), RangeError);
});
