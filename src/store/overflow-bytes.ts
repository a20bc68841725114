/**
 * Pads bytes so that SQLite really erases them. SQLite overwrites what it deletes, but not what it moves: when it
 * rearranges a B-tree page, parts of a row may stay behind in unused space. At most 4061 bytes of a row are in the
 * B-tree (sqlite.org/fileformat.html#b_tree_pages, pages of 4096 bytes); the rest is on overflow pages, which are never
 * moved and are overwritten on deletion. So whatever a purge must erase is stored behind a whole page of padding.
 */

const PADDING = Buffer.alloc(4_096);
/** Tells the padding from the former one, which was all zeros and shorter, and still is in PostgreSQL. */
const MARK = 1;
const FORMER_PADDING_BYTES = 1_024;

PADDING[0] = MARK;

export function padForErasure(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([PADDING, bytes]);
}

export function stripErasurePadding(stored: Uint8Array): Uint8Array {
  return stored.subarray(stored[0] === MARK ? PADDING.length : FORMER_PADDING_BYTES);
}
