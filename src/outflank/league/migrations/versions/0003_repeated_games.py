"""Double games that repeat earlier ones: none is known of those that were played before"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COUNTED = ("scores", "meetings", "job_batches")


def upgrade() -> None:
    for table in COUNTED:
        op.add_column(table, sa.Column("repeated", sa.Integer(), server_default="0", nullable=False))
    op.add_column("job_batches", sa.Column("games", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("job_batches") as batch_op:
        batch_op.drop_column("games")
    for table in COUNTED:
        with op.batch_alter_table(table) as batch_op:
            batch_op.drop_column("repeated")
