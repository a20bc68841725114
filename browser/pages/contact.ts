/** The contact page: seals the message in the browser and keeps the form filled in until it is sent. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { findById, readData } from '#browser/ui/find.ts';
import { parseRecipientList, readFormContent } from '#browser/ui/form-values.ts';
import { showTemplate } from '#browser/ui/page-content.ts';
import { showFormFaults } from '#browser/ui/problem-list.ts';
import { clearUnloadWarning, warnOnceTyped } from '#browser/ui/unload-warning.ts';
import type { SealerJobs } from '#browser/workers/sealer.ts';
import type { ContactField } from '#wire/contact-page.ts';

countTypedCharacters();
const form = findById('contact');
if (form) warnOnceTyped(form);
enhanceForm('contact', { send: sendContactForm, field: 'message' satisfies ContactField });

async function sendContactForm(contact: HTMLFormElement, sealer: PageWorker<SealerJobs>): Promise<void> {
  const { fields } = readFormContent(contact);
  const faults = await sealer.runJob('contact', {
    fields,
    desk: parseRecipientList(readData(contact, 'desk')),
    recipientSet: readData(contact, 'sealing-set') ?? '',
  });
  showFormFaults(faults);
  if (faults.length > 0) return;
  sealer.terminate();
  clearUnloadWarning();
  showTemplate('sent', {});
}
