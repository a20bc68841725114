/** Reports to the operator on standard error that the service has started, or why it has not. */
import { LanguageFileError } from '#language/language-file.ts';
import { ConfigError } from './config/config.ts';
import { explainDamage } from './engine-codes.ts';
import { EXIT_CODES, ProgramError } from './exit-codes.ts';
import { toErrorTrace } from './log.ts';

export type StartReportLine = readonly [label: string, text: string];

/** `failed` names the readiness checks that failed. */
export function reportStart(
  name: string,
  lines: readonly StartReportLine[],
  failed: readonly string[],
): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const table = lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('');
  const state =
    failed.length === 0
      ? 'is ready'
      : `has started, but is not ready: ${failed.join(', ').replaceAll('_', ' ')}`;
  process.stderr.write(`\n${name} ${state}.\n\n${table}\nStop it with Ctrl+C or SIGTERM.\n\n`);
}

/** Also sets the exit code. */
export function reportStartFailure(error: unknown): void {
  const [text, exitCode] = describeStartFailure(error);
  process.stderr.write(text);
  process.exitCode = exitCode;
}

function describeStartFailure(error: unknown): [text: string, exitCode: number] {
  if (error instanceof ConfigError) {
    const lines = error.mistakes.map((mistake) => `  ${mistake}\n`).join('');
    return [
      `The configuration has mistakes:\n${lines}See .env.example for every variable.\n`,
      EXIT_CODES.config,
    ];
  }
  if (error instanceof ProgramError) return [`Cannot start: ${error.message}\n`, error.exitCode];
  if (error instanceof LanguageFileError) return [`Cannot start: ${error.message}\n`, EXIT_CODES.config];
  const damage = explainDamage(error);
  if (damage) return [`Cannot start: the records ${damage}\n`, EXIT_CODES.inputOutput];
  const { error: kind, error_code: code = '', at = '' } = toErrorTrace(error);
  return [`Cannot start: unexpected ${kind} ${code} at ${at}\n`, EXIT_CODES.failure];
}
