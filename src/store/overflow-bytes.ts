/**
 * Pads bytes so that SQLite really erases them. SQLite overwrites what it deletes, but not what it moves: when it
 * rearranges a B-tree page, parts of a row may stay behind in unused space. Only the first thousand bytes of a row are
 * in the B-tree (sqlite.org/fileformat.html#b_tree_pages); the rest is on overflow pages, which are never moved and
 * are overwritten on deletion. So whatever a purge must erase is stored behind 1024 zero bytes.
 */

const PADDING = Buffer.alloc(1024);

export function padForErasure(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([PADDING, bytes]);
}

export function stripErasurePadding(stored: Uint8Array): Uint8Array {
  return stored.subarray(PADDING.length);
}
