/** Parses the static parts of a template as a browser would, to find the HTML context of each hole. */

export interface HoleContext {
  /** `content` takes markup and text, `text` only text; `boolean` decides whether the attribute is written. */
  readonly kind: 'content' | 'text' | 'attribute' | 'url' | 'boolean';
  readonly name: string;
  /** The hole is the attribute's whole value, so name and quotes are written together with the value. */
  readonly whole: boolean;
}

interface Tag {
  readonly name: string;
  readonly attributes: Set<string>;
  holes: number;
}

type State =
  | { readonly at: 'content' }
  | { readonly at: 'raw'; readonly element: string }
  | { readonly at: 'comment' }
  | { readonly at: 'tag'; readonly tag: Tag }
  | { readonly at: 'value'; readonly tag: Tag; readonly name: string; readonly valueSoFar: string };

const CONTENT: State = { at: 'content' };

/** Elements whose content is not markup; holes are allowed only where browsers decode character references. */
const RAW_ELEMENTS = /^(?:script|style|xmp|iframe|noembed|noframes|plaintext|textarea|title)$/;
const DECODED_ELEMENTS = /^(?:textarea|title)$/;
/** Elements whose attributes can set a URL or a policy indirectly. */
const REFUSED_ELEMENTS = /^(?:base|animate|animatemotion|animatetransform|set)$/;
const REFUSED_ATTRIBUTES = /^(?:on.*|style|srcdoc|srcset|imagesrcset|ping|http-equiv)$/;
const URL_ATTRIBUTES =
  /^(?:href|xlink:href|src|action|formaction|poster|cite|data|background|manifest|longdesc|profile|codebase|archive|classid|usemap|icon)$/;

export function parseHtmlTemplate(strings: readonly string[]): { parts: string[]; contexts: HoleContext[] } {
  const parts = [...strings];
  const contexts: HoleContext[] = [];
  let state = CONTENT;
  for (const [index, part] of strings.entries()) {
    state = readPart(part, state);
    if (index === strings.length - 1) break;
    const context = toHoleContext(state, parts[index + 1] ?? '');
    if (context.whole) cutAttribute(parts, index, context);
    contexts.push(context);
    if (state.at === 'value') {
      state.tag.holes += 1;
      state = { ...state, valueSoFar: `${state.valueSoFar}\0` };
    }
  }
  if (state.at !== 'content') refuseTemplate(`a template ends inside a ${state.at}`);
  return { parts, contexts };
}

function refuseTemplate(reason: string): never {
  throw new TypeError(`html template: ${reason}`);
}

function readPart(part: string, before: State): State {
  let state = before;
  let rest = part;
  while (rest !== '') {
    const step = steps[state.at](rest, state as never);
    state = step.state;
    rest = step.rest;
  }
  return state;
}

interface Step {
  readonly state: State;
  readonly rest: string;
}

const steps = {
  content: readContent,
  raw: readRaw,
  comment: readComment,
  tag: readTag,
  value: readValue,
};

function readContent(text: string): Step {
  const start = text.indexOf('<');
  if (start < 0) return { state: CONTENT, rest: '' };
  const rest = text.slice(start);
  if (rest.startsWith('<!--')) return { state: { at: 'comment' }, rest: rest.slice(4) };
  if (/^<![Dd]/.test(rest)) return { state: CONTENT, rest: rest.slice(requireEnd(rest, '>')) };
  const name = /^<\/?([A-Za-z][A-Za-z0-9:-]*)(?=[\s/>])/.exec(rest);
  if (!name?.[1]) return refuseTemplate('a < that opens no tag, or a hole in a tag’s name');
  const tag = { name: rest[1] === '/' ? '' : name[1].toLowerCase(), attributes: new Set<string>(), holes: 0 };
  return { state: { at: 'tag', tag }, rest: rest.slice(name[0].length) };
}

function requireEnd(text: string, end: string): number {
  const index = text.indexOf(end);
  return index < 0 ? refuseTemplate('a hole in a document type') : index + end.length;
}

function readRaw(text: string, state: Extract<State, { at: 'raw' }>): Step {
  const end = new RegExp(`</${state.element}(?=[\\s/>])`, 'i').exec(text);
  return end ? { state: CONTENT, rest: text.slice(end.index) } : { state, rest: '' };
}

function readComment(text: string, state: State): Step {
  const end = text.indexOf('-->');
  return end < 0 ? { state, rest: '' } : { state: CONTENT, rest: text.slice(end + 3) };
}

function readTag(text: string, state: Extract<State, { at: 'tag' }>): Step {
  const { tag } = state;
  const blank = /^[\s/]+/.exec(text);
  if (blank) return { state, rest: text.slice(blank[0].length) };
  if (text.startsWith('>')) return { state: closeTag(tag), rest: text.slice(1) };
  const attribute = /^([^\s"'<>/=]+)(="|(?=[\s/>]))/.exec(text);
  if (!attribute?.[1]) return refuseTemplate('an attribute’s name has a hole, or its value no double quotes');
  const [all, attributeName, opening] = attribute;
  const name = attributeName.toLowerCase();
  tag.attributes.add(name);
  const rest = text.slice(all.length);
  return opening ? { state: { at: 'value', tag, name, valueSoFar: '' }, rest } : { state, rest };
}

/** A `refresh` contains a URL, and `http-equiv` may come before or after the hole. */
function closeTag(tag: Tag): State {
  if (tag.holes > 0 && tag.attributes.has('http-equiv')) refuseTemplate('a hole beside http-equiv');
  return RAW_ELEMENTS.test(tag.name) ? { at: 'raw', element: tag.name } : CONTENT;
}

function readValue(text: string, state: Extract<State, { at: 'value' }>): Step {
  const end = text.indexOf('"');
  if (end < 0) return { state: { ...state, valueSoFar: state.valueSoFar + text }, rest: '' };
  return { state: { at: 'tag', tag: state.tag }, rest: text.slice(end + 1) };
}

function toHoleContext(state: State, next: string): HoleContext {
  switch (state.at) {
    case 'content':
      return { kind: 'content', name: '', whole: false };
    case 'raw':
      if (!DECODED_ELEMENTS.test(state.element)) refuseTemplate(`a hole in ${state.element}`);
      return { kind: 'text', name: '', whole: false };
    case 'comment':
      return refuseTemplate('a hole in a comment');
    case 'tag':
      return refuseTemplate('a hole between attributes, or a value without double quotes');
    case 'value':
      return toValueContext(state, next);
  }
}

function toValueContext(
  { tag, name, valueSoFar }: Extract<State, { at: 'value' }>,
  next: string,
): HoleContext {
  const whole = valueSoFar === '' && next.startsWith('"');
  if (tag.name === '' || REFUSED_ELEMENTS.test(tag.name))
    refuseTemplate(`a hole in an attribute of <${tag.name}>`);
  const plain = name.replace(/^\?/, '');
  if (REFUSED_ATTRIBUTES.test(plain)) refuseTemplate(`a hole in ${name}`);
  if (plain !== name) {
    if (!whole) refuseTemplate(`${name} takes one hole and nothing else`);
    return { kind: 'boolean', name: plain, whole };
  }
  if (!URL_ATTRIBUTES.test(name) || isSchemeFixed(valueSoFar)) return { kind: 'attribute', name, whole };
  // Otherwise the text around the hole could complete a scheme, such as `java` and `script:`.
  if (valueSoFar.trim() !== '' || !/^["/?#]/.test(next))
    refuseTemplate(`${name} must begin with its whole address`);
  return { kind: 'url', name, whole };
}

/** Whether the text before the hole already fixes the URL's scheme, so that the hole cannot change it. */
function isSchemeFixed(valueSoFar: string): boolean {
  if (/^\s*(?:javascript|vbscript|data)\s*:/i.test(valueSoFar))
    refuseTemplate('an address of this scheme is refused');
  return /[/?#]/.test(valueSoFar) || /^\s*(?:mailto|tel):/i.test(valueSoFar);
}

/** Removes `name="` before the hole and `"` after it: they are written with the value, or not at all. */
function cutAttribute(parts: string[], index: number, { name }: HoleContext): void {
  const before = parts[index] ?? '';
  parts[index] = before.slice(0, before.lastIndexOf('="')).replace(/\s+\S+$/, '');
  parts[index + 1] = (parts[index + 1] ?? '').slice(1);
  if (parts[index] === before) refuseTemplate(`${name} could not be read`);
}
