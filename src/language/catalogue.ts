/** The keys of all languages, from languages/en.json, and the values that each sentence needs. */
import type english from '#languages/en.json';
import type { SentenceArguments } from './sentence-arguments.ts';

type Pages = typeof english;

/** The page and the name on it, such as `frame.skip`. */
export type SentenceKey = {
  [Page in keyof Pages]: `${Page}.${keyof Pages[Page] & string}`;
}[keyof Pages];

/** The sentences of a language in MessageFormat 2. */
export type Catalogue = Readonly<Record<SentenceKey, string>>;

type Arguments<Key extends SentenceKey> = Key extends keyof SentenceArguments
  ? SentenceArguments[Key]
  : object;

type ElementName<Key extends SentenceKey> = {
  [Name in keyof Arguments<Key>]: Arguments<Key>[Name] extends 'element' ? Name : never;
}[keyof Arguments<Key>];

/** The types of the variables of a sentence: numbers for `:integer`, otherwise `Text`. */
export type SentenceValues<Key extends SentenceKey, Text = string> = {
  readonly [Name in Exclude<keyof Arguments<Key>, ElementName<Key>>]: Arguments<Key>[Name] extends number
    ? number
    : Text;
};

/** One function for each `{#name}…{/name}` of a sentence, which makes the element. */
export type SentenceElements<Key extends SentenceKey, Markup> = {
  readonly [Name in ElementName<Key>]: (content: Markup) => Markup;
};

/** The sentences without markup. */
export type TextKey = {
  [Key in SentenceKey]: [ElementName<Key>] extends [never] ? Key : never;
}[SentenceKey];

/** No argument for a sentence without variables. */
type TextArguments<Key extends SentenceKey> = keyof SentenceValues<Key> extends never
  ? readonly []
  : readonly [values: SentenceValues<Key>];

/** Finds a sentence by a key that was composed from names; undefined if there is none. */
export type FindSentence = (key: string, values?: Readonly<Record<string, unknown>>) => string | undefined;

/** Returns a sentence in the reader's language. */
export type Say<Keys extends TextKey = TextKey> = <Key extends Keys>(
  key: Key,
  ...values: TextArguments<Key>
) => string;
