/** Naming rules: functions begin with a verb, an exported name has one meaning, file names do not repeat too often. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import test from 'node:test';

const roots = '{src,browser,bin,cli,desk,sandbox,bench,agent,scripts,test}';
const files = globSync(`${roots}/**/*.{ts,js}`).filter((file) => !file.includes('node_modules'));
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

/** Getters read as values and are nouns. `is`, `has`, `may`, `can`, `needs` ask; `to` converts, `with` wraps, `on` handles. */
const verbs = new Set(
  `is has may can needs matches to with on
  abort accept acquire add adopt advance answer append apply approve ask assert attempt authenticate authorize begin bench bind book build bundle
  buy cache call cancel capitalize capture carry check choose claim classify clear click clone close collect commit compare compile complete compress
  compute conclude confirm connect consume convert copy count create cut decline decode decrypt define delete deliver derive describe destroy detect
  disable discard discover dispatch download drain draw drop emit enable encode encrypt end enhance enqueue ensure enter escape exchange
  execute exit expand expect expire explain export extract fail fetch fill filter find finish flip flush fold follow forget format forward
  fulfil generate get give group handle hash hide hold import include freeze increment indent initialize insert inspect install intercept invalidate
  join keep kill launch leave limit list listen load lock log look link make map mark match measure memoize merge migrate move name negotiate normalize
  notify obtain offer omit open overwrite pad parse pass pause pay perform pick pin ping place play poll post postpone prepare press prevent print
  process propose protect purge push put query queue quote race read reassign receive record redeem redeliver redirect reduce refine refresh refund
  refuse register reject release reload remember remove render repeat replace repoint report request require reserve reset resolve reseal restart restore resume
  retire retrieve retry return revoke rewrite roll rotate round run save say scan seal search seed select self send serialize serve set settle show
  shred shuffle sign skip sleep sort split stage start stop store stream strip stub submit suspend swap sweep switch sync take
  throw track translate trim truncate trust try undo unlock unwrap update upload upsert vacuum validate verify visit wait wake walk warm warn watch
  withdraw wrap write`.split(/\s+/),
);

const exceptions: Readonly<Record<string, string>> = {
  html: 'a template tag, known to editors by this name',
  clientInformation: 'a member that the MCP SDK asks for',
  rollbackTransaction: 'a member that Kysely asks for',
  tokens: 'a member that the MCP SDK asks for',
  codeVerifier: 'a member that the MCP SDK asks for',
  constructor: 'the language',
};

const declarations = [
  /\bfunction\*?\s+(\w+)\s*[(<]/g,
  /\b(?:const|let)\s+(\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>\n]+>)?\([^()]*\)(?:: [^=\n]+)? =>/g,
  /\b(?:const|let)\s+(\w+)(?:: [^=\n]+)? = (?:async )?\w+ =>/g,
  /^ {2}(?:static |async |\*)*#?(\w+)(?:<[^>\n]*>)?\([^\n]*\)(?:: [^\n]+)? \{$/gm,
];
const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'test', 'it', 'describe']);

function listFunctionNames(source: string): string[] {
  return declarations
    .flatMap((pattern) => [...source.matchAll(pattern)].map(([, name = '']) => name))
    .filter((name) => !keywords.has(name));
}

function isVerbFirst(name: string): boolean {
  return verbs.has(/^[a-z]+/.exec(name)?.[0] ?? '');
}

test('function names begin with a verb, apart from at most two in a hundred', () => {
  const names = [...sources].flatMap(([file, source]) =>
    listFunctionNames(source).map((name) => ({ file, name })),
  );
  const others = names.filter(({ name }) => !isVerbFirst(name) && !Object.hasOwn(exceptions, name));
  assert.ok(names.length > 1_500, `only ${names.length} functions were found`);
  assert.deepEqual(
    others.map(({ file, name }) => `${file}: ${name}`),
    [],
  );
  const excused = names.filter(({ name }) => Object.hasOwn(exceptions, name));
  assert.ok(excused.length / names.length <= 0.02, `${excused.length} of ${names.length} are exceptions`);
});

test('the parser finds every form of function', () => {
  const source = `
export async function readFile(path: string) {}
const printText = (value: string): string => value;
const sendLater = async <Value>(value: Value) => value;
class Keeper {
  async #writeText(value: string): Promise<void> {
    if (value) return;
  }
}`;
  assert.deepEqual(listFunctionNames(source), ['readFile', 'printText', 'sendLater', 'writeText']);
});

/** Separate programs, which share no code with the service, may use the same names. */
const foreign = /^(?:sandbox|agent)\//;

test('an exported name has one meaning', () => {
  const places = new Map<string, string[]>();
  for (const [file, source] of sources) {
    if (foreign.test(file)) continue;
    const exported =
      /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type) (\w+)/gm;
    for (const name of new Set([...source.matchAll(exported)].map(([, each = '']) => each)))
      places.set(name, [...(places.get(name) ?? []), file]);
  }
  assert.ok(places.size > 1_000);
  assert.deepEqual(
    [...places].filter(([, where]) => where.length > 1),
    [],
  );
});

/** For these the folder names the subject and the file its part. */
const partNames = new Set(['page.ts', 'routes.ts', 'main.ts', 'README.md']);

test('no file name is used in more than three folders', () => {
  const folders = Map.groupBy(files, (file) => basename(file));
  const crowded = [...folders].filter(([name, where]) => where.length > 3 && !partNames.has(name));
  assert.deepEqual(
    crowded.map(([name, where]) => [name, where.map((file) => dirname(file))]),
    [],
  );
});
