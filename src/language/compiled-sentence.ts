/** A compiled sentence, and the formatting of it as text, which server and browser share. */

/** A piece of a sentence: text, a variable, or an element around other pieces. */
export type MessagePart =
  | string
  | { readonly value: string }
  | { readonly tag: string; readonly parts: readonly MessagePart[] };

/** Plain text, pieces, or variants, one of which is selected by the value of a variable. */
export type CompiledMessage =
  | string
  | readonly MessagePart[]
  | { readonly by: string; readonly variants: Readonly<Record<string, readonly MessagePart[]>> };

export type MessageValues = Readonly<Record<string, unknown>>;

/** The variant for a number or text that matches no other. */
export const OTHER_VARIANT = '*';

/** An exact value wins over its plural category (`one`, `few`, …), as in MessageFormat 2. */
export function selectMessageParts(
  message: CompiledMessage,
  values: MessageValues,
  locale: string,
): readonly MessagePart[] {
  if (typeof message === 'string') return [message];
  if (!('by' in message)) return message;
  const { by, variants } = message;
  const value = values[by];
  const category = typeof value === 'number' ? new Intl.PluralRules(locale).select(value) : OTHER_VARIANT;
  return variants[String(value)] ?? variants[category] ?? variants[OTHER_VARIANT] ?? [];
}

/** Text in a right-to-left sentence keeps its own direction by FSI and PDI (Unicode UAX #9 §2.7). */
export function formatMessageValue(value: unknown, locale: string, direction: string): string {
  if (typeof value === 'number') return value.toLocaleString(locale);
  return direction === 'rtl' ? `\u2068${String(value)}\u2069` : String(value);
}

export function formatMessageText(
  message: CompiledMessage,
  values: MessageValues,
  { locale, direction }: { readonly locale: string; readonly direction: string },
): string {
  return selectMessageParts(message, values, locale)
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('value' in part) return formatMessageValue(values[part.value], locale, direction);
      throw new TypeError(`an element in a sentence of text: ${part.tag}`);
    })
    .join('');
}
