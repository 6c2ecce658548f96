"""Batches of games that jobs have played, the work done for whom, a row to test whether one can write"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

COUNTS = ("wins", "draws", "losses", *(f"quarters_{n}" for n in range(5)))


def upgrade() -> None:
    op.create_table(
        "job_batches",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("first_game", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTS),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "first_game"),
    )
    op.create_table(
        "write_checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checked", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for table in ("entrants", "competitions"):
        op.add_column(table, sa.Column("served", sa.Float(), server_default="0", nullable=False))
    op.add_column("jobs", sa.Column("token", sa.Integer(), server_default="0", nullable=False))
    op.add_column("jobs", sa.Column("seconds", sa.Float(), server_default="0", nullable=False))


def downgrade() -> None:
    for table, columns in (
        ("jobs", ("seconds", "token")),
        ("competitions", ("served",)),
        ("entrants", ("served",)),
    ):
        with op.batch_alter_table(table) as batch_op:
            for column in columns:
                batch_op.drop_column(column)
    op.drop_table("write_checks")
    op.drop_table("job_batches")
