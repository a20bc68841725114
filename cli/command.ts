/** Creates commands: parses options and operands, prints the help or the report. */
import { parseArgs } from 'node:util';
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

/** An option, as the help shows it: with a word after its name if it takes a value. */
type CommandOption = readonly [option: `--${string}`, text: string, repeated?: 'repeated'];

type OptionName<Option> = Option extends `--${infer Name} ${string}`
  ? Name
  : Option extends `--${infer Name}`
    ? Name
    : never;

type OptionValue<Option extends CommandOption> = Option[0] extends `--${string} ${string}`
  ? Option extends readonly [string, string, 'repeated']
    ? readonly string[]
    : string
  : boolean;

export type OptionValues<Options extends readonly CommandOption[]> = {
  readonly [Option in Options[number] as OptionName<Option[0]>]?: OptionValue<Option> | undefined;
};

interface CommandDefinition<Options extends readonly CommandOption[]> {
  readonly usage: string;
  /** The list of commands shows only the first line. */
  readonly about: string;
  readonly options?: Options;
  /** The number of operands that it takes; none by default. */
  readonly operands?: number;
  readonly work: (values: OptionValues<Options>, operands: readonly string[]) => Promise<CommandReport>;
}

const commonOptions: readonly CommandOption[] = [
  ['--json', 'print JSON instead of text'],
  ['--help', 'print this'],
];

export function createCommand<const Options extends readonly CommandOption[] = readonly []>(
  definition: CommandDefinition<Options>,
): CliCommand {
  const { usage, about, operands: maxOperands = 0, work } = definition;
  const options = [...(definition.options ?? []), ...commonOptions];
  return {
    usage,
    about,
    run: async (args) => {
      const { values, operands } = parseCommandLine(args, options, usage);
      if (values['help']) {
        getIo().stdout.write(formatHelp(usage, about, options));
        return EXIT_CODES.ok;
      }
      if (operands.length > maxOperands) throw createUsageFailure('Too many arguments', usage);
      const report = await work(values as OptionValues<Options>, operands);
      getIo().stdout.write(
        values['json'] ? `${terminalSafe.json(JSON.stringify(report.json))}\n` : report.text,
      );
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

function parseCommandLine(args: readonly string[], commandOptions: readonly CommandOption[], usage: string) {
  const options = Object.fromEntries(commandOptions.map(toParseOption));
  try {
    const dashed: string[] = [];
    const others: string[] = [];
    for (const arg of args) {
      const last = others.at(-1);
      // Ids may begin with a dash, and no option is as long as an id.
      if (!arg.startsWith('-') || !isId(arg)) others.push(arg);
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

function toParseOption([option, , repeated]: CommandOption) {
  const [name = '', value] = option.slice(2).split(' ');
  const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string';
  return [name, { type, multiple: repeated !== undefined }] as const;
}

function formatHelp(usage: string, about: string, options: readonly CommandOption[]): string {
  const lines = formatPairs(options.map(([option, text]) => [option, text]));
  return `Usage: ${PROGRAM_NAME} ${usage}\n\n${about}\n\n${lines.replace(/^/gm, '  ').trimEnd()}\n`;
}
