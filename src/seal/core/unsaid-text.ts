/** Text in no language yet: the key of a sentence with its values, which the page says in the language of its reader. */

export type UnsaidText = string | UnsaidSentence | UnsaidCountry | readonly UnsaidText[];

/** The catalogue has the sentence; nothing here knows its words. */
export interface UnsaidSentence {
  readonly key: string;
  /** The sentence `key.variant` is said instead, if there is one. */
  readonly variant?: string;
  readonly values?: Readonly<Record<string, number | UnsaidText>>;
}

/** A country by its code. */
interface UnsaidCountry {
  readonly country: string;
}
