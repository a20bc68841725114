/**
 * Pads contact messages and refunds, which have no shred key to destroy, so that SQLite really erases them. SQLite
 * overwrites what it deletes, but not what it moves: when it rearranges a B-tree page, parts of a row may stay behind
 * in unused space. At most 4061 bytes of a row are in the B-tree (sqlite.org/fileformat.html#b_tree_pages, pages of
 * 4096 bytes); the rest is on overflow pages, which are never moved and are overwritten on deletion.
 */

const PADDING = Buffer.alloc(4_096);

export function padForErasure(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([PADDING, bytes]);
}

export function stripErasurePadding(stored: Uint8Array): Uint8Array {
  return stored.subarray(PADDING.length);
}
