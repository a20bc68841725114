/**
 * The command `office-agent`: needs only the site's address; registers, buys, submits a sealed inquiry, answers
 * questions and opens the finding. It stores its state in a file, so that each step continues the previous one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import { replaceUnseen } from '#seal/core/unseen-characters.ts';
import { AgentFailure, AgentState, EXIT_USAGE } from './agent-state.ts';
import { followCase, openCase, printCase, printOutcome, saveFindingFiles, sendAnswer } from './case.ts';
import { ensurePaid, ensureSubmitted, type InquirySource, requireInquirySource } from './purchase.ts';
import { type AgentRun, connectAgent, ensureRegistered, startRun } from './service.ts';

const USAGE = `Usage: npm run agent -- COMMAND [OPTIONS]

  register SITE_URL [--contact ADDRESS]        register, and wait until a maintainer has approved
  buy [--tier TIER]                            print where a person pays, and wait until that has happened
  seal --inquiry FILE.json [--attach FILE]…    seal the inquiry and send it; with --yes instead of a file, a sample
  follow                                       print messages until the desk asks or the case has ended
  answer --text TEXT                           seal a message and send it
  open [--out FOLDER] [--json]                 print messages and finding, save the files of the finding
  run SITE_URL --inquiry FILE.json [OPTIONS]   all of these, one after the other; --answer TEXT for every question

  --state FILE    what the agent must not lose: credentials and words (agent-state.json)
  --ca FILE       the certificate of the service, if it is self-signed
  --poll SECONDS  how long to wait between two looks
`;

type Values = ReturnType<typeof parseCommandLine>['values'];

function parseCommandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      contact: { type: 'string', default: 'agent@example.com' },
      tier: { type: 'string', default: 'Trace' },
      inquiry: { type: 'string' },
      attach: { type: 'string', multiple: true, default: [] },
      text: { type: 'string' },
      answer: { type: 'string', default: 'I know no more than I wrote.' },
      out: { type: 'string' },
      json: { type: 'boolean', default: false },
      state: { type: 'string', default: 'agent-state.json' },
      poll: { type: 'string', default: '0' },
      ca: { type: 'string' },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

const steps: Readonly<Record<string, (run: AgentRun, values: Values) => Promise<void>>> = {
  register: async (run, { contact }) => await ensureRegistered(run, contact),
  buy: async (run, { tier }) => await ensurePaid(await connectAgent(run), tier),
  seal: async (run, values) => await ensureSubmitted(await connectAgent(run), toInquirySource(values)),
  follow: async (run) => printOutcome(await followCase(await connectAgent(run))),
  answer: async (run, { text }) => {
    if (text === undefined) throw new AgentFailure('Say what to answer: --text TEXT', EXIT_USAGE);
    await sendAnswer(await connectAgent(run), text);
  },
  open: async (run, values) => {
    const agent = await connectAgent(run);
    const opened = await openCase(agent);
    printCase(opened, values.json);
    if (values.out !== undefined) await saveFindingFiles(agent, opened, values.out);
  },
  run: runAllSteps,
};

function toInquirySource({ inquiry: file, attach: attachments, yes: mayBeSample }: Values): InquirySource {
  return { file, attachments, mayBeSample };
}

async function runAllSteps(run: AgentRun, values: Values): Promise<void> {
  // Checks before the payment, so that nothing is paid for a missing inquiry.
  if (!run.state.facts.caseId) requireInquirySource(toInquirySource(values));
  await ensureRegistered(run, values.contact);
  const agent = await connectAgent(run);
  await ensurePaid(agent, values.tier);
  await ensureSubmitted(agent, toInquirySource(values));
  const printed = new Set<string>();
  let opened = await followCase(agent, printed);
  while (opened.detail.state === 'awaiting_client') {
    await sendAnswer(agent, values.answer);
    opened = await followCase(agent, printed);
  }
  printOutcome(opened);
}

/** npm runs a script in the project's folder; file names are relative to the folder in which its user called it. */
function returnToCaller(): void {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  if (script === 'agent' && folder && existsSync(folder)) process.chdir(folder);
}

async function runCommand(): Promise<void> {
  returnToCaller();
  const { values, positionals } = parseCommandLine();
  const [name = '', site, ...others] = positionals;
  if (values.help || name === 'help') return void process.stdout.write(USAGE);
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (!step || others.length > 0) throw new AgentFailure(USAGE, EXIT_USAGE);
  if (!/^\d+(?:\.\d+)?$/.test(values.poll))
    throw new AgentFailure('--poll is a number of seconds.', EXIT_USAGE);
  if (values.ca) setDefaultCACertificates([...getCACertificates(), readFileSync(values.ca, 'utf8')]);
  await step(await startRun(new AgentState(values.state), site, Number(values.poll)), values);
}

try {
  await runCommand();
} catch (error) {
  // An error with a code, or of a connection, says what is wrong; any other one is a bug in this program.
  const isKnown =
    error instanceof AgentFailure || (error instanceof Error && ('code' in error || error.cause));
  if (!isKnown) throw error;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(replaceUnseen(`${error.message.trimEnd()}${cause}\n`));
  process.exitCode = error instanceof AgentFailure ? error.exitCode : 1;
}
