-- Since 0014, search reads search_segments: the words of each message are neither written nor read.
-- contract: 0014
DROP INDEX messages_by_text;
ALTER TABLE messages DROP COLUMN search;
