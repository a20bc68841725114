/** The command for a buyer who is stuck: sends the way back to a paid form once more. */

import { requestWayBack } from '#payments/way-back.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import { withStore } from './cli-services.ts';
import { createCommand, requireOperand } from './command.ts';

export const remindPayerCommand = createCommand({
  usage: 'orders remind ID',
  about: `Send the payer of an unused order the link to its form once more. No key is needed.
ID is the client reference id of the payment in the dashboard of the provider.
The running service sends it, to the address that the provider has; a link that was sent before ends.`,
  options: {},
  operands: 1,
  work: async (_values, [operand]) => {
    const id = requireOperand(operand, 'ID');
    return await withStore(async (services) => {
      if (!(await requestWayBack(services, id)))
        throw new ProgramError(
          `${id}: no order of the website that is paid, unused, not held and at most ${FORM_DAYS} days old; nothing was changed`,
          EXIT_CODES.failure,
        );
      return { text: 'The service sends the link within a minute or so.\n', json: { reminded: id } };
    });
  },
});
