/**
 * Bytes that can be erased. SQLite overwrites what it deletes, but not what it moves: when a page of its tree is
 * rearranged, a part of a row may stay behind in unused space. Of a row only the first thousand bytes lie in the tree
 * (sqlite.org/fileformat.html#b_tree_pages); the rest lies on pages of its own, which are never moved and are
 * overwritten. So what a purge must reach begins behind as many zeros.
 */

const LEAD = Buffer.alloc(1024);

export function padForErasure(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([LEAD, bytes]);
}

export function stripErasurePadding(stored: Uint8Array): Uint8Array {
  return stored.subarray(LEAD.length);
}
