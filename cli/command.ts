/** A command: the options and operands that it takes, the help that it gives, and what it reports. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { isId } from '#platform/id-pattern.ts';
import { CommandFailure } from './failure.ts';
import { formatPairs } from './table.ts';
import { terminalSafe } from './terminal-text.ts';

/** What a command found or did, for people and for programs. */
export interface CommandReport {
  readonly text: string;
  readonly json: unknown;
}

export interface CliCommand {
  /** What follows `npm run cli --`. */
  readonly usage: string;
  readonly about: string;
  readonly run: (args: readonly string[]) => Promise<void>;
}

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>['values'];

type OptionHelp = readonly [option: string, text: string];

interface Definition<Options extends ParseArgsOptionsConfig> {
  readonly usage: string;
  /** Its first line says it all, in a list of commands. */
  readonly about: string;
  readonly help?: readonly OptionHelp[];
  readonly options: Options;
  /** How many operands there may be. */
  readonly operands: number;
  readonly work: (values: Values<Options>, operands: readonly string[]) => Promise<CommandReport>;
}

const everywhere = { help: { type: 'boolean' }, json: { type: 'boolean' } } as const;

export function createCommand<const Options extends ParseArgsOptionsConfig>(
  definition: Definition<Options>,
): CliCommand {
  const { usage, about, help = [], operands: most, work } = definition;
  return {
    usage,
    about,
    run: async (args) => {
      const { values, operands } = parseCommandLine(args, { ...everywhere, ...definition.options }, usage);
      const { help: asksHelp, json } = values as { help?: boolean; json?: boolean };
      if (asksHelp) return void process.stdout.write(formatHelp(usage, about, help));
      if (operands.length > most) throw createUsageFailure('Too many arguments', usage);
      const report = await work(values, operands);
      process.stdout.write(json ? formatJson(report.json) : report.text);
    },
  };
}

/** For what the parser cannot know. */
export function createUsageFailure(line: string, usage?: string): CommandFailure {
  return new CommandFailure(usage ? `${line}. Usage: npm run cli -- ${usage}` : line, EXIT_CODES.usage);
}

export function requireOperand(operand: string | undefined, name: string): string {
  if (operand === undefined || operand === '') throw createUsageFailure(`${name} is missing; see --help`);
  return operand;
}

/** Identifiers may begin with a dash, and no option is as long. */
function isDashedId(text: string): boolean {
  return text.startsWith('-') && isId(text);
}

function parseCommandLine<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    const dashed = args.filter(isDashedId);
    const others = args.filter((arg) => !isDashedId(arg));
    const { values, positionals } = parseArgs({ args: others, options, allowPositionals: true });
    return { values, operands: [...dashed, ...positionals] };
  } catch (error) {
    if (!readErrorCode(error).startsWith('ERR_PARSE_ARGS')) throw error;
    throw createUsageFailure((error as Error).message.split(/[.\n]/)[0] ?? '', usage);
  }
}

function formatHelp(usage: string, about: string, help: readonly OptionHelp[]): string {
  const options = formatPairs([...help, ['--json', 'print JSON instead of text'], ['--help', 'print this']]);
  return `Usage: npm run cli -- ${usage}\n\n${about}\n\n${options.replace(/^/gm, '  ').trimEnd()}\n`;
}

/** One document on one line, with nothing that a terminal would obey. */
function formatJson(json: unknown): string {
  return `${terminalSafe.json(JSON.stringify(json))}\n`;
}
