/** Characters that mislead whoever reads foreign text: they drive a terminal, are not seen, or reorder their neighbours. */

/**
 * Control characters except tab and line feed, direction marks, joiners, tag characters (U+E0000…). The two selectors
 * that choose how a sign is drawn stay, since emoji have them.
 */
export const UNSEEN_CHARACTERS =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028-\u202e\ufff9-\ufffb]/gu;
