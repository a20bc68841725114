/** Who gives a command, told by their desk key, and whose case it is that somebody else wants to write in. */
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import { type AgeIdentity, deriveRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';
import { findCase } from '#store/cases.ts';
import type { CliServices } from './cli-services.ts';
import { readDeskKey } from './desk-key.ts';
import { CommandFailure } from './failure.ts';
import { formatHolder, readHolderNames } from './holder-name.ts';

export const investigatorHelp = ['--key FILE', 'your private key: the case is then yours'] as const;

export async function deriveInvestigator(identity: AgeIdentity): Promise<string> {
  return computeHolder(await deriveRecipient(identity));
}

/** Null without a key: then nobody asks who has a case. */
export async function readInvestigator(keyFile: string | undefined): Promise<string | null> {
  return keyFile === undefined ? null : await deriveInvestigator(await readDeskKey(keyFile));
}

/** Says who has the case, where the rules only say that somebody else has. */
export async function withHolderNamed<Result>(
  { clock, store }: CliServices,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'case_held')) throw error;
    const { holder = null } = (await findCase(store.records, id, clock.now())) ?? {};
    const name = holder === null ? 'Somebody else' : formatHolder(holder, readHolderNames());
    throw new CommandFailure(
      `${name} has this case, so nothing was done. To take it over: ${PROGRAM_NAME} cases take-over ${id} --key FILE`,
      EXIT_CODES.failure,
      error,
    );
  }
}
