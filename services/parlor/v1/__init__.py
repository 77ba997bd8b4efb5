"""Messages and services of Parlor, generated from `protos/parlor/v1` by `make protos`; never edited."""
