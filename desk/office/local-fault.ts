/** Faults of files beside the own key, as pages can show them. */
import { KeyFault, PinFault } from '#desk-program/keys/key-fault.ts';
import { StartError } from '#platform/exit-codes.ts';
import { OfficeFault } from './office.ts';

export async function withLocalFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PinFault) throw new OfficeFault('key_changed', error.message, error);
    if (error instanceof KeyFault || error instanceof StartError)
      throw new OfficeFault('local_file', error.message, error);
    throw error;
  }
}
