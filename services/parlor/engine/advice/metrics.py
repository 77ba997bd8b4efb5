"""What an operator sees of the rules API."""

from prometheus_client import Counter, Gauge, Histogram

WAITING = Gauge(
    "parlor_engine_questions_waiting", "Questions that advisers have not answered.", ["kind"]
)
ANSWERS = Counter(
    "parlor_engine_questions_total",
    "Questions by what came of them: answered, or the reason of a refusal.",
    ["kind", "question", "outcome"],
)
SECONDS = Histogram(
    "parlor_engine_question_seconds",
    "From the arrival of a question to its answer.",
    ["kind", "question"],
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
ADVISERS_LOST = Counter(
    "parlor_engine_advisers_lost_total", "Times that an adviser's process died.", ["kind"]
)
