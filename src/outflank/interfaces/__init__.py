"""How people and programs meet outflank. Only this room prints."""
