/** Text that is not yet in a language: the key of a sentence with its values, rendered in the reader's language. */

export type UnsaidText = string | UnsaidSentence | UnsaidCountry | readonly UnsaidText[];

/** Refers to a sentence of the catalogue by its key. */
export interface UnsaidSentence {
  readonly key: string;
  /** The sentence `key.variant` is used instead, if there is one. */
  readonly variant?: string;
  readonly values?: Readonly<Record<string, number | UnsaidText>>;
}

/** A country by its code. */
interface UnsaidCountry {
  readonly country: string;
}
