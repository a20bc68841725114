/** The script of confidential pages that have no other. */
import { enableQuickExit } from '#browser/ui/leave-button.ts';

enableQuickExit();
