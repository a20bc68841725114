/** The commands of operators and investigators: finds one by its words and runs it. */
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { findNearestName } from '#platform/config/unknown-variables.ts';
import { VERSION } from '#platform/config/version.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { CliCommand } from './command.ts';
import { toProgramError } from './failure.ts';
import { type CommandIo, getIo, withIo } from './terminal/io.ts';
import { formatPairs, terminalSafe } from './terminal/table.ts';

/** In the order of the overview. Loaded on demand, because most commands need only a few modules. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<CliCommand>>>>> = {
  Cases: {
    'cases list': async () => (await import('./cases/case-queue.ts')).listCasesCommand,
    'cases due': async () => (await import('./cases/due-cases.ts')).countCasesByClockCommand,
    'cases next': async () => (await import('./cases/case-reading.ts')).openNextCaseCommand,
    'cases show': async () => (await import('./cases/case-queue.ts')).showCaseCommand,
    'cases take': async () => (await import('./cases/case-acts.ts')).takeCaseCommand,
    'cases take-over': async () => (await import('./cases/case-acts.ts')).reassignCaseCommand,
    'cases let-go': async () => (await import('./cases/case-acts.ts')).releaseCaseCommand,
    'cases open': async () => (await import('./cases/case-reading.ts')).openCaseCommand,
    'cases ask': async () => (await import('./cases/case-writing.ts')).askBuyerCommand,
    'cases message': async () => (await import('./cases/case-writing.ts')).writeMessageCommand,
    'cases deliver': async () => (await import('./cases/case-delivery.ts')).deliverFindingCommand,
    'cases take-back': async () => (await import('./cases/case-acts.ts')).takeBackCommand,
    'cases decline': async () => (await import('./cases/case-writing.ts')).declineCaseCommand,
    'cases purge': async () => (await import('./cases/case-acts.ts')).purgeCaseCommand,
  },
  'Contact messages': {
    'contact list': async () => (await import('./contact-messages.ts')).listContactMessagesCommand,
    'contact open': async () => (await import('./contact-messages.ts')).openContactMessageCommand,
    'contact done': async () => (await import('./contact-messages.ts')).closeContactMessageCommand,
  },
  Orders: {
    'orders list': async () => (await import('./orders.ts')).listOrdersCommand,
    'orders show': async () => (await import('./orders.ts')).showTroubledOrderCommand,
    'orders done': async () => (await import('./orders.ts')).markOrdersReviewedCommand,
    'orders release': async () => (await import('./orders.ts')).releaseOrdersCommand,
    'orders remind': async () => (await import('./orders.ts')).remindPayerCommand,
  },
  Agents: {
    'agents list': async () => (await import('./agents.ts')).listAgentsCommand,
    'agents show': async () => (await import('./agents.ts')).showAgentCommand,
    'agents approve': async () => (await import('./agents.ts')).approveAgentCommand,
    'agents reject': async () => (await import('./agents.ts')).rejectAgentCommand,
    'agents suspend': async () => (await import('./agents.ts')).suspendAgentCommand,
    'agents rotate': async () => (await import('./agents.ts')).rotateAgentCommand,
    'agents redirect': async () => (await import('./agents.ts')).redirectAgentCommand,
  },
  'E-mail': {
    'outbox list': async () => (await import('./outbox.ts')).listOutboxCommand,
    'outbox retry': async () => (await import('./outbox.ts')).retryOutboxCommand,
    'outbox drop': async () => (await import('./outbox.ts')).dropOutboxCommand,
  },
  Keys: {
    'keys master': async () => (await import('./keys/keys.ts')).printMasterKeyCommand,
    'keys master change': async () => (await import('./keys/master-key-change.ts')).changeMasterKeyCommand,
    'keys new': async () => (await import('./keys/keys.ts')).makeSealingKeysCommand,
    'keys protect': async () => (await import('./keys/keys.ts')).protectKeyCommand,
    'keys reseal': async () => (await import('./keys/reseal.ts')).resealCasesCommand,
  },
  'The audit log': {
    'audit list': async () => (await import('./audit.ts')).listAuditCommand,
    'audit verify': async () => (await import('./audit.ts')).verifyAuditCommand,
  },
  'The installation': {
    setup: async () => (await import('./setup/setup.ts')).setUpCommand,
    backup: async () => (await import('./backup.ts')).backUpCommand,
    restore: async () => (await import('./restore.ts')).restoreCommand,
    doctor: async () => (await import('./doctor/doctor.ts')).inspectCommand,
    'clock accept': async () => (await import('./clock.ts')).acceptClockCommand,
  },
};
const commands: Readonly<Record<string, () => Promise<CliCommand>>> = Object.assign(
  // Without a prototype, so that `constructor` and other inherited names are not commands.
  Object.create(null),
  ...Object.values(groups),
);

const AT_THE_DESK = 'do this at the desk (npm run desk)';
/** What to do instead of commands that were removed. */
const removedCommands = new Map([
  ['cases call', AT_THE_DESK],
  ['cases note', AT_THE_DESK],
  ['cases retain', AT_THE_DESK],
  ['orders held', `use ${PROGRAM_NAME} orders list --held`],
]);

/** Typing errors that are allowed even in a short word. */
const LEAST_SLIPS = 1;
const LONGEST_QUOTE = 40;
const LINE_LENGTH = 90;
const MORE_HELP = `help GROUP, such as help cases, lists the commands of a group. Every command takes --help; all except serve and desk print JSON with --json.
Exit codes: 0 done, 1 refused, 64 usage, 65 not genuine, 66 input file, 69 service or database unavailable,
73 output file, 74 damaged records or disk, 77 wrong key or missing rights, 78 configuration.
`;
/** Returns the exit code. */
export async function runCommand(words: readonly string[], io: CommandIo): Promise<number> {
  return await withIo(io, async () => {
    try {
      return await findAndRun(words);
    } catch (error) {
      const { message, exitCode } = toProgramError(error);
      io.stderr.write(`${terminalSafe.line(message)}\n`);
      return exitCode;
    }
  });
}

async function findAndRun(words: readonly string[]): Promise<number> {
  const [first = 'help', ...rest] = words;
  if (first === '--version') return print(`${VERSION}\n`);
  if (['help', '--help'].includes(first)) return await printHelp(rest);
  // Longer names come first.
  for (const length of [3, 2, 1]) {
    const load = words.length < length ? undefined : commands[words.slice(0, length).join(' ')];
    if (load) return await (await load()).run(words.slice(length));
  }
  if (!['', 'help', '--help'].includes(rest[0] ?? '')) throw createUnknownFailure(words);
  return await printHelp([first]);
}

/** The help for everything, for a group, or for a command. */
async function printHelp(words: readonly string[]): Promise<number> {
  const [group = ''] = words;
  const load = commands[words.join(' ')];
  if (load) return await (await load()).run(['--help']);
  if (group === '') return print(formatOverview());
  const loads = Object.keys(commands).flatMap((name) =>
    name.startsWith(`${group} `) ? (commands[name] ?? []) : [],
  );
  if (loads.length === 0) throw createUnknownFailure(words);
  const lines = (await Promise.all(loads.map((each) => each()))).map(
    ({ usage, about }) => `  ${usage}\n      ${about.split('\n')[0]}\n`,
  );
  return print(`Usage: ${PROGRAM_NAME} COMMAND\n\n${lines.join('')}\n${MORE_HELP}`);
}

function print(text: string): number {
  getIo().stdout.write(text);
  return EXIT_CODES.ok;
}

/** Names what replaces a removed command, or suggests the command, or first word, that was probably meant. */
function createUnknownFailure(words: readonly string[]): ProgramError {
  const name = words.slice(0, 2).join(' ');
  const advice = removedCommands.get(name);
  if (advice) return new ProgramError(`${name} was removed: ${advice}`, EXIT_CODES.usage);
  const known = ['help', 'serve', 'desk', ...Object.keys(commands)];
  const firstWords = [...new Set(known.map((command) => command.split(' ')[0]!))];
  const [first = ''] = words;
  const tried = [3, 2].map((length) => findNearestName(words.slice(0, length).join(' '), known, LEAST_SLIPS));
  const nearest = tried.find(Boolean) ?? findNearestName(first, firstWords, LEAST_SLIPS);
  const unknown = words.slice(0, firstWords.includes(first) ? 2 : 1).join(' ');
  return new ProgramError(
    `Unknown command: ${unknown.slice(0, LONGEST_QUOTE)}. ${nearest ? `Did you mean ${nearest}? ` : ''}${PROGRAM_NAME} help lists the commands`,
    EXIT_CODES.usage,
  );
}

/** Lists only names, so that no command has to be loaded. */
function formatOverview(): string {
  const rows: [string, string][] = [
    ['The service', 'serve [--with-sandbox]'],
    ['The desk', 'desk [ADDRESS --key FILE]'],
    ...Object.entries(groups).map(([head, loads]): [string, string] => [head, listNames(Object.keys(loads))]),
  ];
  const width = Math.max(...rows.map(([head]) => head.length));
  const lines = formatPairs(rows.map(([head, names]) => [head, wrapWords(names, LINE_LENGTH - width)]));
  return `Usage: ${PROGRAM_NAME} COMMAND\n\n${lines.replace(/^(?=.)/gm, '  ')}\n${MORE_HELP}`;
}

/** Writes a first word that several names share only once. */
function listNames(names: readonly string[]): string {
  return names
    .map((name, index) => {
      const [first, ...rest] = name.split(' ');
      return rest.length > 0 && names[index - 1]?.startsWith(`${first} `) ? rest.join(' ') : name;
    })
    .join(', ');
}

function wrapWords(text: string, length: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length >= length) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.join('\n');
}
