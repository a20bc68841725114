/** Lexes Markdown with a bounded amount of work: without bounds, some texts of a few pages take minutes. */
import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';

/** Levels of nested lists and quotes. Thousands of them would overflow the stack. */
const MAX_DEPTH = 16;
/** In characters examined. Texts written by people use at most about half of this; using it up takes about 30 ms. */
const MAX_WORK = 800_000;
/** What a block, a cell or an item costs besides its characters. */
const PART_WORK = 150;
/** The lexer searches the rest of the block for the end of an emphasis, which takes longest if there is none. */
const CLOSED_WORK = 1 / 8;
const UNCLOSED_WORK = 2;
/** Each of these makes the lexer scan a part of the block. */
const SIGNS = /[![<`@]|(?: {2}|\\)\n/g;
const SIGN_WORK = 1 / 8;
/** The lexer searches for the end of an address repeatedly. */
const URLS = /(?:\/\/|www\.)\S+/gi;
const URL_WORK = 1 / 32;
/** The lexer scans to the next blank line from a table-like line, the end of a quote, and each line of a list item. */
const COSTLY_LINES = /^[ |:-]+$|^ *>.*\n(?! *>)/gm;
const LINES = /\n/g;
const BLANK_LINES = /\n[ \t]*\n/;
const LINE_WORK = 1 / 4;

/** Throws a RangeError if the text nests too deeply or costs too much. */
export function parseMarkdownTokens(markdown: string): Token[] {
  return new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(markdown);
}

class BoundedLexer extends Lexer {
  #depth = 0;
  #work = 0;

  addWork(characters: number): void {
    this.#work += characters;
    if (this.#work > MAX_WORK) throw new RangeError();
  }

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    const costly = this.state.top ? COSTLY_LINES : LINES;
    for (const run of source.split(BLANK_LINES))
      this.addWork(PART_WORK + run.length * (1 + countMatches(run, costly) * LINE_WORK));
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new RangeError();
    super.blockTokens(source, tokens, isClipped);
    this.#depth -= 1;
    return tokens;
  }

  override inline(source: string, tokens?: Token[]): Token[] {
    this.addWork(PART_WORK);
    return super.inline(source, tokens);
  }

  override inlineTokens(source: string, tokens?: Token[]): Token[] {
    this.addWork(PART_WORK + source.length * countMatches(source, SIGNS) * SIGN_WORK);
    for (const [url] of source.matchAll(URLS)) this.addWork(url.length ** 2 * URL_WORK);
    return super.inlineTokens(source, tokens);
  }
}

class BoundedTokenizer extends Tokenizer {
  declare lexer: BoundedLexer;

  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#addEmphasisWork(source, super.emStrong(source, masked, before));
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    return this.#addEmphasisWork(source, super.del(source, masked, before));
  }

  #addEmphasisWork<Found extends Token>(source: string, token: Found | undefined): Found | undefined {
    if (/^[*_~]/.test(source))
      this.lexer.addWork(
        token ? token.raw.length + source.length * CLOSED_WORK : source.length * UNCLOSED_WORK,
      );
    return token;
  }
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
