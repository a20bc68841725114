/** Faults of files beside the investigator's key, as pages can show them. */
import { PinFault } from '#desk/keys/pin-file.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { OfficeFault } from './office-fault.ts';

export async function withLocalFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PinFault) throw new OfficeFault('key_changed', error.message, error);
    if (error instanceof ProgramError && !(error instanceof OfficeFault))
      throw new OfficeFault('local_file', error.message, error);
    throw error;
  }
}
