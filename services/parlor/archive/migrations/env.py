"""How Alembic runs the migrations: on the connection it is given, inside the transaction that is open there."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # ALTER TABLE of SQLite can do little.
    render_as_batch=True,
    transactional_ddl=False,
)
context.run_migrations()
