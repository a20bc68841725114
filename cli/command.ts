/** Creates commands: parses options and operands, prints the help or the report. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { getIo } from './terminal/io.ts';
import { formatPairs, terminalSafe } from './terminal/table.ts';

/** What a command found or did, as text for people and as JSON for scripts. */
export interface CommandReport {
  readonly text: string;
  readonly json: unknown;
  /** For commands that report their result as an exit code. */
  readonly exitCode?: number;
  /** For a command that failed in part: reported after its output. */
  readonly fault?: ProgramError | undefined;
}

export interface CliCommand {
  /** The command line after the program's name. */
  readonly usage: string;
  readonly about: string;
  /** Returns the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** What `parseArgs` makes of the options. */
export type OptionValues<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>['values'];

type OptionHelp = readonly [option: string, text: string];

interface CommandDefinition<Options extends ParseArgsOptionsConfig> {
  readonly usage: string;
  /** The list of commands shows only the first line. */
  readonly about: string;
  readonly help?: readonly OptionHelp[];
  readonly options?: Options;
  /** The number of operands that it takes; none by default. */
  readonly operands?: number;
  readonly work: (values: OptionValues<Options>, operands: readonly string[]) => Promise<CommandReport>;
}

const commonOptions = { help: { type: 'boolean' }, json: { type: 'boolean' } } as const;

export function createCommand<const Options extends ParseArgsOptionsConfig>(
  definition: CommandDefinition<Options>,
): CliCommand {
  const { usage, about, help = [], operands: maxOperands = 0, work } = definition;
  return {
    usage,
    about,
    run: async (args) => {
      const { values, operands } = parseCommandLine(args, { ...commonOptions, ...definition.options }, usage);
      const { help: wantsHelp, json } = values;
      if (wantsHelp) {
        getIo().stdout.write(formatHelp(usage, about, help));
        return EXIT_CODES.ok;
      }
      if (operands.length > maxOperands) throw createUsageFailure('Too many arguments', usage);
      const report = await work(values as OptionValues<Options>, operands);
      getIo().stdout.write(json ? formatJson(report.json) : report.text);
      if (report.fault) throw report.fault;
      return report.exitCode ?? EXIT_CODES.ok;
    },
  };
}

/** For a mistake on the command line, found by `parseArgs` or by a check of our own. */
export function createUsageFailure(line: string, usage?: string): ProgramError {
  return new ProgramError(usage ? `${line}. Usage: ${PROGRAM_NAME} ${usage}` : line, EXIT_CODES.usage);
}

export function requireOperand(operand: string | undefined, name: string): string {
  if (operand === undefined || operand === '') throw createUsageFailure(`${name} is missing; see --help`);
  return operand;
}

/** Ids may begin with a dash, and no option is as long as an id. */
function isDashedId(text: string): boolean {
  return text.startsWith('-') && isId(text);
}

function parseCommandLine<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    const dashed: string[] = [];
    const others: string[] = [];
    for (const arg of args) {
      const last = others.at(-1);
      if (!isDashedId(arg)) others.push(arg);
      else if (last?.startsWith('--') && options[last.slice(2)]?.type === 'string')
        others[others.length - 1] = `${last}=${arg}`;
      else dashed.push(arg);
    }
    const { values, positionals } = parseArgs({ args: others, options, allowPositionals: true });
    return { values, operands: [...dashed, ...positionals] };
  } catch (error) {
    if (!readErrorCode(error).startsWith('ERR_PARSE_ARGS')) throw error;
    throw createUsageFailure((error as Error).message.split(/[.\n]/)[0] ?? '', usage);
  }
}

function formatHelp(usage: string, about: string, help: readonly OptionHelp[]): string {
  const options = formatPairs([...help, ['--json', 'print JSON instead of text'], ['--help', 'print this']]);
  return `Usage: ${PROGRAM_NAME} ${usage}\n\n${about}\n\n${options.replace(/^/gm, '  ').trimEnd()}\n`;
}

/** One line, without control characters that a terminal would act on. */
function formatJson(json: unknown): string {
  return `${terminalSafe.json(JSON.stringify(json))}\n`;
}
