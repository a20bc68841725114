/** Collects the setup's answers: on a terminal asks until each one can be used, else reads all from the options. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ProgramError } from '#platform/exit-codes.ts';
import { createUsageFailure } from '../command.ts';
import { getIo } from '../terminal/io.ts';
import { terminalSafe } from '../terminal/table.ts';
import { listMistakes, type Values } from './installed-files.ts';
import { type Question, questions } from './questions.ts';

export interface Answers {
  readonly values: Values;
  /** Problems with answers that are used anyway. */
  readonly doubts: readonly string[];
}

interface Asking {
  readonly root: string;
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** The values of an earlier setup; null for the first one. */
  readonly before: Values | null;
  /** Contacts no other machine. */
  readonly isOffline: boolean;
}

/** `fault` is a sentence if something is wrong; without `values` the answer cannot be used. */
interface Outcome {
  readonly values?: Values;
  readonly fault: string | null;
}

/** A longer answer, such as a public key, is not repeated. */
const LONGEST_REPEATED = 100;
const COMMAND_LINE_SECRET = /^(?:sk|rk)_|:\/\/[^/]*:[^/]*@/;

export type Dialogue = ReturnType<typeof openDialogue>;

/** Reads lines from standard input; a terminal does not show secret ones. */
export function openDialogue() {
  const { stdin, stderr } = getIo();
  let isHidden = false;
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isHidden) stderr.write(chunk);
      done();
    },
  });
  const terminal = stdin.isTTY === true;
  // Without a history, which would retain secrets.
  const reader = createInterface({ input: stdin, output, terminal, historySize: 0, prompt: '> ' });
  const lines = reader[Symbol.asyncIterator]();
  return {
    ask: async (question: string, isSecret = false): Promise<string> => {
      stderr.write(`${question}\n`);
      // A pipe may have been read to its end by now.
      if (terminal) reader.prompt();
      isHidden = isSecret;
      const { value, done } = await lines.next();
      isHidden = false;
      if (isSecret && terminal) stderr.write('\n');
      if (!done) return value.trim();
      throw new ProgramError(
        'There was no answer, so nothing was written; --yes uses the options as answers',
      );
    },
    close: () => reader.close(),
  };
}

/** Without a dialogue, reports all faults at once. An earlier answer stays unless it is asked for again or replaced. */
export async function collectAnswers(asking: Asking, dialogue: Dialogue | null): Promise<Answers> {
  const { flags, before } = asking;
  const isKept = dialogue === null || questions.some(({ flag }) => flags[flag] !== undefined);
  const doubts: string[] = [];
  let values: Values = before ?? {};
  for (const question of questions) {
    const given = flags[question.flag];
    if (given === undefined && isKept && hasAnswer(question, before)) continue;
    const outcome = dialogue
      ? await askUntilUsable(asking, question, values, dialogue)
      : await tryAnswer(asking, question, values, given ?? question.propose());
    if (outcome.fault !== null)
      doubts.push(dialogue ? outcome.fault : `--${question.flag}: ${outcome.fault}`);
    values = outcome.values ?? values;
  }
  if (dialogue || doubts.length === 0) return { values, doubts };
  getIo().stderr.write(doubts.map((fault) => `${fault}\n`).join(''));
  throw createUsageFailure('Nothing was written; with --offline no other machine is contacted');
}

async function askUntilUsable(
  asking: Asking,
  question: Question,
  known: Values,
  dialogue: Dialogue,
): Promise<Outcome> {
  const hasEarlier = hasAnswer(question, asking.before);
  const proposal = hasEarlier ? describeAnswer(question, known) : question.propose();
  const head = `\n${questions.indexOf(question) + 1} of ${questions.length}. ${question.text}${question.isSecret ? ' (not shown)' : ''}`;
  let given = asking.flags[question.flag];
  /** An answer with a fault, which is used if it is not replaced. */
  let doubted: Outcome | null = null;
  for (;;) {
    // No proposal then, because Enter accepts the doubted answer instead.
    const offer = proposal && !doubted ? ` [${proposal}]` : '';
    const typed = given === undefined ? await dialogue.ask(`${head}${offer}`, question.isSecret) : '';
    if (doubted && typed === '') return doubted;
    if (hasEarlier && given === undefined && typed === '') return { values: known, fault: null };
    const answer = given ?? (typed || question.propose());
    const outcome = await tryAnswer(asking, question, known, answer, given === undefined);
    if (outcome.fault === null) return outcome;
    given = undefined;
    doubted = outcome.values ? outcome : null;
    const kept = question.isSecret ? 'the one just entered' : terminalSafe.line(answer);
    const advice = doubted ? `Give another answer, or press Enter to keep ${kept}.\n` : '';
    getIo().stderr.write(`${outcome.fault}\n${advice}`);
  }
}

function hasAnswer({ names }: Question, before: Values | null): boolean {
  return before !== null && names.every((name) => before[name]);
}

function describeAnswer({ names, isSecret }: Question, known: Values): string {
  const text = names.map((name) => known[name]).join('; ');
  return isSecret || text.length > LONGEST_REPEATED ? 'unchanged' : text;
}

async function tryAnswer(
  { root, isOffline }: Asking,
  question: Question,
  known: Values,
  answer: string,
  isTyped = false,
): Promise<Outcome> {
  if (answer === '') return { fault: `An answer is missing: ${question.text}.` };
  if (question.isSecret && !isTyped && COMMAND_LINE_SECRET.test(answer))
    return {
      fault:
        'Every user of this machine can see a command line: put the secret in a file, and pass the name of the file.',
    };
  try {
    const values = { ...known, ...(await question.parse(answer, known)) };
    const [mistake] = listMistakes(values, [...question.names, ...(question.decides ?? [])]);
    if (mistake) return { fault: `${mistake}.` };
    return { values, fault: isOffline ? null : ((await question.check?.(values, root)) ?? null) };
  } catch (error) {
    if (error instanceof ProgramError) return { fault: `${error.message}.` };
    throw error;
  }
}
