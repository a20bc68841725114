/** The command that looks at a data folder or database and says what is wrong; it changes nothing. */
import { systemClock as clock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toErrorTrace } from '#platform/log.ts';
import { explainReleaseAge } from '#platform/release-age.ts';
import { VERSION } from '#platform/version.ts';
import { openRecordsReader } from '#store/records-reader.ts';
import { createWaitingLog } from './cli-services.ts';
import { createCommand } from './command.ts';
import { inspectConfiguration } from './doctor-configuration.ts';
import { hasReadableRecords, inspectDataFolder } from './doctor-files.ts';
import type { Observation } from './doctor-observation.ts';
import { inspectRecords, isUpToDate } from './doctor-records.ts';
import { getIo } from './io.ts';
import { terminalSafe } from './terminal-text.ts';

export const inspectCommand = createCommand({
  usage: 'doctor',
  about: `Look at the records, the shred keys, their files, the public keys and the clock, and say what is wrong.
No key is needed, and MASTER_KEY is not looked at.
Nothing is changed. The exit code is 1 if something is wrong. The service may be running.`,
  options: {},
  operands: 0,
  work: async () => {
    const observations = await listObservations();
    const wrong = observations.filter(({ isWrong }) => isWrong).length;
    const lines = observations.map(
      ({ isWrong, text }) => `${isWrong ? 'Wrong: ' : ''}${terminalSafe.line(text)}\n`,
    );
    return {
      text: `${lines.join('')}${wrong === 0 ? 'All is well.\n' : ''}`,
      json: {
        version: VERSION,
        observations: observations.map(({ isWrong, text }) => ({ wrong: isWrong, text })),
      },
      ...(wrong > 0 && {
        fault: new ProgramError(
          wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`,
          EXIT_CODES.failure,
        ),
      }),
    };
  },
});

async function listObservations(): Promise<Observation[]> {
  const config = loadConfig(getIo().env);
  const { databaseUrl } = config.store;
  const observations: Observation[] = [{ isWrong: false, text: `This is version ${VERSION}.` }];
  const age = explainReleaseAge(clock.now());
  if (age !== null) observations.push({ isWrong: false, text: age });
  observations.push(...(await inspectDataFolder(config.dataDir, databaseUrl === null)));
  if (databaseUrl === null && !hasReadableRecords(config.dataDir)) return observations;
  try {
    const reader = await openRecordsReader({ config, clock, log: createWaitingLog() });
    try {
      observations.push(...(await inspectRecords(reader, clock.now())));
      if (await isUpToDate(reader))
        observations.push(...(await inspectConfiguration(reader.db, config, clock.now())));
    } finally {
      await reader.close();
    }
  } catch (error) {
    observations.push({ isWrong: true, text: explainFailure(error) });
  }
  return observations;
}

function explainFailure(error: unknown): string {
  if (error instanceof ProgramError) return error.message;
  const { error: kind, error_code: code = kind } = toErrorTrace(error);
  return `The records cannot be read (${code}).`;
}
