"""The rules as a service: questions about cards, tiles and planes that no room has asked.

- `doudizhu.py`, `jinxian.py`, `planes.py`: from the request of each question to its answer; pure.
- `questions.py`: what a question is, and how any of them is answered from bytes to bytes.
- `checks.py`: what a request must look like.
- `advisers.py`, `worker.py`: the processes in which whatever takes long is thought about.
- `service.py`: the way in, for gateways.

Nothing here reads a room or Redis. A worker process imports the rules and the messages of one game,
and no networking.
"""
