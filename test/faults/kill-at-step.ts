/** Loaded before a program: counts its steps on the disk and kills it with -9 just before the step of KILL_AT. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

const killAt = Number(process.env['KILL_AT'] ?? 0);
/** Simulates a power cut: that step writes the bytes before this one alone or, below zero, those after it alone. */
const tornAt = Number(process.env['TORN_AT'] ?? 0);
let steps = 0;

// Otherwise the speed of the machine would decide which work shares a commit, and so the number of steps.
const startedAt = performance.now();
performance.now = () => startedAt;

const slotWrites: number[] = [];

type Step = (...parameters: never[]) => unknown;

function countStep(): boolean {
  steps += 1;
  return steps === killAt;
}

function killProgram(): void {
  process.kill(process.pid, 'SIGKILL');
}

function wrapSteps<Owner extends object>(
  owner: Owner,
  names: readonly (keyof Owner)[],
  isStep: (first: unknown) => boolean = () => true,
): void {
  for (const name of names) {
    const original = owner[name] as Step;
    const step = function (this: unknown, ...parameters: never[]) {
      if (isStep(parameters[0]) && countStep()) killProgram();
      return original.apply(this, parameters);
    };
    Object.assign(owner, { [name]: step });
  }
}

const { writeSync } = fs;
Object.assign(fs, {
  writeSync: (fd: number, bytes: Buffer, offset: number, length: number, position: number) => {
    const isLast = countStep();
    slotWrites.push(steps);
    if (isLast) {
      if (tornAt > 0) writeSync(fd, bytes, offset, tornAt, position);
      if (tornAt < 0) writeSync(fd, bytes, offset - tornAt, length + tornAt, position - tornAt);
      killProgram();
    }
    return writeSync(fd, bytes, offset, length, position);
  },
});
wrapSteps(fs.promises, ['link', 'rename', 'rm']);
await using file = await fs.promises.open('package.json');
wrapSteps(Object.getPrototypeOf(file) as typeof file, ['write', 'writeFile', 'datasync', 'sync']);

wrapSteps(DatabaseSync.prototype, ['exec'], (statement) => statement === 'commit');
syncBuiltinESMExports();

process.on('exit', () => process.stdout.write(`${JSON.stringify({ steps, slotWrites })}\n`));
