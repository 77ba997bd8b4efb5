"""Parlor: turn-based table games as a distributed deployment of microservices."""
