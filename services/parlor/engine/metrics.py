"""What an operator sees of an engine."""

from prometheus_client import Counter, Gauge, Histogram

ROOMS = Gauge("parlor_engine_rooms", "Rooms that this replica has at hand.", ["kind"])
GAMES = Gauge(
    "parlor_engine_games",
    "Games that run in rooms of this replica's shards, as far as it has met them.",
    ["kind"],
)
ROOMS_OPENED = Counter("parlor_engine_rooms_opened_total", "Rooms opened.", ["kind"])
ROOMS_CLOSED = Counter("parlor_engine_rooms_closed_total", "Rooms closed.", ["kind", "reason"])
GAMES_FINISHED = Counter("parlor_engine_games_finished_total", "Games ended.", ["kind", "reason"])
COMMANDS = Counter(
    "parlor_engine_commands_total",
    "Commands by what they ask and what came of it: accepted, repeated, or the reason of a refusal.",
    ["kind", "command", "outcome"],
)
COMMAND_SECONDS = Histogram(
    "parlor_engine_command_seconds",
    "From the arrival of a command to its answer.",
    ["kind"],
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
COMMITS = Counter("parlor_engine_commits_total", "Steps committed.", ["kind", "check"])
CONFLICTS = Counter(
    "parlor_engine_commit_conflicts_total",
    "Commits that met another one and were run again.",
    ["kind"],
)
UNSURE = Counter(
    "parlor_engine_commits_unsure_total", "Commits whose answer was lost and looked up.", ["kind"]
)
UNCONFIRMED = Counter(
    "parlor_engine_commits_unconfirmed_total",
    "Commits and repeated requests that no replica of Redis confirmed in time.",
    ["kind"],
)
FAULTS = Counter(
    "parlor_engine_step_faults_total",
    "Steps that raised what no rule raises.",
    ["kind", "exception"],
)
ROOMS_FAULTED = Counter(
    "parlor_engine_rooms_faulted_total", "Rooms closed after a defect.", ["kind"]
)
CLOCK_LATENESS = Histogram(
    "parlor_engine_clock_lateness_seconds",
    "From the instant of a clock to its commit, by what woke the room: event, sweep or command.",
    ["kind", "woken_by"],
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 10, 30),
)
SHARDS_OWNED = Gauge("parlor_engine_shards_owned", "Shards that this replica owns.", ["kind"])
OUTAGES = Counter(
    "parlor_engine_outages_total",
    "Times in which no engine looked after a shard, as this replica recorded them.",
    ["kind"],
)
OUTAGE_SECONDS = Counter(
    "parlor_engine_outage_seconds_total",
    "How long shards were without an engine, each shard counted on its own.",
    ["kind"],
)
LEASES_LAPSED = Counter(
    "parlor_engine_presence_leases_lapsed_total", "Connections that ended without a word.", ["kind"]
)
TIMER_EVENTS = Counter("parlor_engine_timer_events_total", "Expirations heard.", ["kind"])
RELAY_STREAMS = Gauge("parlor_engine_relay_streams", "Open streams of gateways.", ["kind"])
