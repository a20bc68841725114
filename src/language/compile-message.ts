/** Compiles a sentence in MessageFormat 2 (Unicode LDML 48), and refuses features that we do not use. */
import { parseMessage } from 'messageformat';
import { type CompiledMessage, type MessagePart, OTHER_VARIANT } from './compiled-sentence.ts';

type ParsedMessage = ReturnType<typeof parseMessage>;
type ParsedPattern = Extract<ParsedMessage, { type: 'message' }>['pattern'];
type ParsedPiece = ParsedPattern[number];

const FUNCTIONS: ReadonlySet<string | undefined> = new Set(['integer', 'string', undefined]);

export function compileMessage(source: string): CompiledMessage {
  const parsed = parseMessage(source);
  for (const declaration of parsed.declarations) {
    if (declaration.type !== 'input') throw new SyntaxError(`only .input is used here: ${source}`);
    requireKnownFunction(declaration.value.functionRef?.name, source);
  }
  if (parsed.type === 'message') return toPlainMessage(compilePattern(parsed.pattern, source));
  const [selector, second] = parsed.selectors;
  if (!selector || second) throw new SyntaxError(`one variable selects the variant: ${source}`);
  const variants = parsed.variants.map(({ keys: [key], value }) => [
    key?.type === 'literal' ? key.value : OTHER_VARIANT,
    compilePattern(value, source),
  ]);
  return { by: selector.name, variants: Object.fromEntries(variants) as Record<string, MessagePart[]> };
}

function toPlainMessage(parts: readonly MessagePart[]): CompiledMessage {
  const [first = '', ...others] = parts;
  return typeof first === 'string' && others.length === 0 ? first : parts;
}

function compilePattern(pattern: readonly ParsedPiece[], source: string): MessagePart[] {
  const rest = [...pattern];
  const parts = compileUntil(rest, null, source);
  if (rest.length > 0) throw new SyntaxError(`an element is closed that is not open: ${source}`);
  return parts;
}

/** Takes pieces from the list up to the end of the element `name`, or all of them. */
function compileUntil(rest: ParsedPiece[], name: string | null, source: string): MessagePart[] {
  const parts: MessagePart[] = [];
  for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
    if (typeof piece !== 'string' && piece.type === 'markup' && piece.kind === 'close') {
      if (piece.name === name) return parts;
      throw new SyntaxError(`{/${piece.name}} closes another element: ${source}`);
    }
    parts.push(compilePiece(piece, rest, source));
  }
  if (name !== null) throw new SyntaxError(`{#${name}} is not closed: ${source}`);
  return parts;
}

function compilePiece(piece: ParsedPiece, rest: ParsedPiece[], source: string): MessagePart {
  if (typeof piece === 'string') return piece;
  if (piece.type === 'markup') {
    if (piece.kind !== 'open' || piece.options)
      throw new SyntaxError(`an element has a name and an end, nothing else: ${source}`);
    return { tag: piece.name, parts: compileUntil(rest, piece.name, source) };
  }
  requireKnownFunction(piece.functionRef?.name, source);
  if (piece.arg?.type !== 'variable') throw new SyntaxError(`a placeholder is a variable: ${source}`);
  return { value: piece.arg.name };
}

function requireKnownFunction(name: string | undefined, source: string): void {
  if (!FUNCTIONS.has(name)) throw new SyntaxError(`:${name} is not used here: ${source}`);
}
