/** The keys of the catalogue and the arguments of each sentence, derived from English. */
import type { english } from './en.ts';

export type SentenceKey = keyof typeof english;

/** A language is one file: a sentence for every key, in MessageFormat 2. */
export type Catalogue = Readonly<Record<SentenceKey, string>>;

type EnglishSentence<Key extends SentenceKey> = (typeof english)[Key];

/** The text between each `{$` and its `}`, such as `days :integer`. */
type Placeholders<Sentence extends string> = Sentence extends `${string}{$${infer Rest}`
  ? (Rest extends `${infer Placeholder}}${string}` ? Placeholder : never) | Placeholders<Rest>
  : never;

type VariableName<Placeholder> = Placeholder extends `${infer Name} ${string}` ? Name : Placeholder;

type NumberName<Placeholder> = Placeholder extends `${infer Name} :integer` ? Name : never;

type TagNames<Sentence extends string> = Sentence extends `${string}{#${infer Rest}`
  ? (Rest extends `${infer Name}}${string}` ? Name : never) | TagNames<Rest>
  : never;

/** What the variables of a sentence may be: numbers where it says `:integer`, otherwise `Text`. */
export type SentenceValues<Key extends SentenceKey, Text = string> = {
  readonly [Name in VariableName<Placeholders<EnglishSentence<Key>>> & string]: Name extends NumberName<
    Placeholders<EnglishSentence<Key>>
  >
    ? number
    : Text;
};

/** One function for each `{#name}…{/name}` of a sentence, which makes the element. */
export type SentenceElements<Key extends SentenceKey, Markup> = {
  readonly [Name in TagNames<EnglishSentence<Key>>]: (content: Markup) => Markup;
};

/** The sentences without markup. */
export type TextKey = {
  [Key in SentenceKey]: EnglishSentence<Key> extends `${string}{#${string}` ? never : Key;
}[SentenceKey];

/** No argument for a sentence without variables. */
type TextArguments<Key extends SentenceKey> = keyof SentenceValues<Key> extends never
  ? readonly []
  : readonly [values: SentenceValues<Key>];

/** Gives the sentence of a key that was put together from names, or undefined if there is none. */
export type FindSentence = (key: string, values?: Readonly<Record<string, unknown>>) => string | undefined;

/** Gives a sentence in the reader's language. */
export type Say<Keys extends TextKey = TextKey> = <Key extends Keys>(
  key: Key,
  ...values: TextArguments<Key>
) => string;
