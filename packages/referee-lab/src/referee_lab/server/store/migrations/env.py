"""Runs the migrations on the connection that the store hands over."""

from alembic import context

from referee_lab.server.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # All steps in the transaction of the caller: a store is upgraded as a whole or not at all.
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
