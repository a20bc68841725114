/** The script of confidential pages that have no other. */
import { offerLeaving } from '#browser/ui/leave-button.ts';

offerLeaving();
