/** The operator's and the investigators' commands. */
import { EXIT } from '#platform/errors.ts';
import type { Command } from './command.ts';
import { Failure, failureOf } from './failure.ts';
import { visible } from './terminal-text.ts';

/** Loaded when they are called: most need little of the house. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  'agents list': async () => (await import('./agents.ts')).listAgents,
  'agents show': async () => (await import('./agents.ts')).showAgent,
  'agents approve': async () => (await import('./agents.ts')).approveAgent,
  'agents reject': async () => (await import('./agents.ts')).rejectAgent,
  'agents suspend': async () => (await import('./agents.ts')).suspendAgent,
  'agents rotate': async () => (await import('./agents.ts')).rotateAgent,
  'cases list': async () => (await import('./case-queue.ts')).listCases,
  'cases show': async () => (await import('./case-queue.ts')).showCase,
  'cases take': async () => (await import('./case-steps.ts')).takeCase,
  'cases open': async () => (await import('./case-reading.ts')).openCase,
  'cases ask': async () => (await import('./case-writing.ts')).askBuyer,
  'cases message': async () => (await import('./case-writing.ts')).writeMessage,
  'cases deliver': async () => (await import('./case-delivery.ts')).deliverFinding,
  'cases decline': async () => (await import('./case-writing.ts')).declineCase,
  'cases call': async () => (await import('./case-steps.ts')).setCall,
  'cases retain': async () => (await import('./case-steps.ts')).retainCase,
  'cases purge': async () => (await import('./case-steps.ts')).purgeCase,
  'cases export': async () => (await import('./case-bundles.ts')).exportCase,
  'cases import': async () => (await import('./case-bundles.ts')).importCase,
  'contact list': async () => (await import('./contact-messages.ts')).listContacts,
  'contact open': async () => (await import('./contact-messages.ts')).openContact,
  'contact done': async () => (await import('./contact-messages.ts')).closeContact,
  'keys master': async () => (await import('./keys.ts')).printMasterKey,
  'keys new': async () => (await import('./keys.ts')).makeSealingKeys,
};

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

// What is written is for whoever ran the command alone.
process.umask(0o077);
for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(128 + number));
// Whoever reads the output may stop reading.
process.stdout.on('error', () => process.exit(EXIT.inputOutput));

try {
  await run(process.argv.slice(2));
} catch (error) {
  const { message, exitCode } = failureOf(error);
  process.stderr.write(`${visible.line(message)}\n`);
  process.exitCode = exitCode;
}

async function run([group = 'help', name = '', ...args]: readonly string[]): Promise<void> {
  const load = commands[`${group} ${name}`];
  if (load) return await (await load()).run(args);
  const names = Object.keys(commands).filter(
    (each) => group.endsWith('help') || each.startsWith(`${group} `),
  );
  if (names.length === 0 || !(group.endsWith('help') || ['', 'help', '--help'].includes(name)))
    throw new Failure('Unknown command. Usage: npm run cli -- --help lists them all', EXIT.usage);
  process.stdout.write(await overview(names));
}

async function overview(names: readonly string[]): Promise<string> {
  const known = await Promise.all(names.map(async (name) => await commands[name]!()));
  const lines = known.map(({ usage, about }) => `  ${usage}\n      ${about.split('\n')[0]}\n`).join('');
  return `Usage: npm run cli -- COMMAND\n\n${lines}
Each command explains itself with --help, and answers in JSON with --json.
Exit codes: 0 done, 1 refused, 64 usage, 66 input file, 69 database away, 73 and 74 output file,
77 wrong key, 78 configuration.
`;
}
