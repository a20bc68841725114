/** Runs some thousand commands of the simulation, and every story that has ever shown a fault. */
import { execFile } from 'node:child_process';
import test, { type TestContext } from 'node:test';
import { scale } from '#test/scale.ts';

/** How long a failure is shrunk in the suite; `npm run sim` with the same seed shrinks it further. */
const SHRINK_MS = '30000';
const MAX_OUTPUT_BYTES = 2 ** 28;

test('whatever buyers, agents, the desk, the provider, time and faults do, every promise holds', async (t) => {
  const told = await simulate(t.signal);
  const never = [...told.matchAll(/^ +0 {2}(.*)$/gm)].map(([, name]) => name);
  t.diagnostic(`${told.trimEnd().split('\n').at(-1)}; never: ${never.join(', ') || 'none'}`);
});

/** Runs it as a separate program: a process that runs tests tracks every promise, which costs a fifth more. */
async function simulate(signal: TestContext['signal']): Promise<string> {
  // Drops the runner's variables and other settings of the simulation.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SIM|NODE_TEST)_/.test(name));
  const env = { ...Object.fromEntries(inherited), SIM_SHRINK_MS: SHRINK_MS };
  const args = ['test/simulation/run.ts', '--commands', String(scale.simulatedCommands)];
  return await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { env, signal, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stdout}${stderr}`));
        else resolve(stdout);
      },
    );
  });
}
