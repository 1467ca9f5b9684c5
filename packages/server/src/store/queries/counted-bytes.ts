/** What files count for in a quota. A file counts as 1 KiB at least: empty files take room, too. */
export const COUNTED_BYTES = `coalesce(sum(greatest(size, 1024)), 0)::bigint`;
