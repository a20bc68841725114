/** The Spanish of the inquiry form, except its fields, and of the page after sending. */
import type { englishInquiry } from '#language/en/inquiry-page.ts';

export const spanishInquiry = {
  'inquiry.title': 'Su pregunta, paso {$step :integer} de {$count :integer}',
  'inquiry.heading': 'Háganos su pregunta',
  'inquiry.lead':
    'Cuéntenos lo que tenga, y deje fuera lo que no quiera que sepamos. No se guarda nada hasta que lo envíe.',
  'inquiry.private':
    '¿Alguien más usa este dispositivo? Su navegador guarda una lista de las páginas que visita. {#link}Qué queda en su dispositivo{/link}',
  'inquiry.helplines':
    'Si alguien está en peligro, estas personas pueden ayudar antes que nosotros: {#link}números de emergencia y líneas de ayuda por país{/link}.',
  'inquiry.terms':
    'Al enviar esto, acepta nuestras {#terms}condiciones{/terms}. Vea {#refunds}cuándo le devolvemos su dinero{/refunds}.',
  'inquiry.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Nuestro servidor pone bajo llave lo que envía en cuanto llega, y puede leerlo durante ese momento. No se guarda nada legible.',
  'inquiry.note.browser':
    '{#strong}Bajo llave en su navegador.{/strong} Lo que envía queda bajo llave aquí, antes de salir. Nuestro servidor nunca ve el texto.',
  'inquiry.sending': 'Enviando',
  'inquiry.sending.percent': 'Poniendo bajo llave y enviando: {$percent :integer} %. No cierre esta página.',
  'inquiry.send': 'Enviar y abrir mi caso',
  'inquiry.send.hint':
    'Las {$hours :integer} horas empiezan cuando envíe el formulario. Antes, lea sus respuestas una vez más.',
  'inquiry.check': 'Revisar mis respuestas',
  'inquiry.check.hint': 'Todavía no se envía nada.',
  'inquiry.not_sent': 'Todavía no se ha enviado nada.',
  'inquiry.change': 'Volver al formulario',
  'inquiry.slip': 'Pago recibido',
  'inquiry.slip.service': 'Servicio',
  'inquiry.slip.delivery': 'Entrega',
  'inquiry.slip.paid': 'Pagado',
  'inquiry.next': 'Qué pasa ahora',
  'inquiry.next.words':
    '{#strong}Usted guarda doce palabras.{/strong} Con ellas se vuelve a abrir su caso, y con nada más.',
  'inquiry.next.read':
    '{#strong}Un investigador lee su pregunta.{/strong} La página de su caso muestra cuándo.',
  'inquiry.next.answer':
    '{#strong}Usted recibe la respuesta{/strong} en un plazo de {$hours :integer} horas después de enviar el formulario.',

  'draft.keep': 'Conservar lo que escribo si esta página se recarga',
  'draft.keep.hint':
    'Si marca esto, la pestaña guarda su texto y sus doce palabras, bajo llave. Nosotros tenemos la mitad de la llave, y la borramos cuando envía el formulario, cuando presiona “Salir de esta página” o después de un día. No marque esto si alguien más puede usar este navegador antes de eso.',
  'draft.restored':
    '{#strong}Recuperamos lo que escribió.{/strong} Sus doce palabras son las mismas de antes. Vuelva a elegir sus archivos, por favor.',
  'draft.lost':
    '{#strong}No se pudo recuperar lo que escribió antes.{/strong} Un borrador se conserva un día como máximo, y después se borra.',
  'draft.failed':
    '{#strong}Su texto no se está conservando.{/strong} Su navegador no pudo comunicarse con nosotros. Marque la casilla otra vez en un momento.',

  'words.intro':
    'Son el único camino de vuelta a su caso. Anótelas ahora, o imprímalas, y guárdelas donde nadie más mire. No podemos dárselas otra vez. Están en inglés y así deben quedar: cópielas letra por letra. Si recarga esta página antes de enviarla, recibe palabras nuevas, salvo que haya marcado “Conservar lo que escribo”.',
  'words.new':
    '{#strong}Estas palabras son nuevas.{/strong} Esta página se cargó otra vez. Si antes anotó otras palabras de esta página, táchelas: no abren nada.',
  'words.asked': 'Dos de sus palabras, de su propia copia',
  'words.asked.hint':
    'Las palabras de arriba se ocultan mientras escribe aquí. Bastan las primeras cuatro letras.',
  'words.asked.word': 'Palabra {$position :integer}',
  'words.print': 'Imprimir las palabras',
  'words.print.title': 'Notas',
  'words.print.address': 'Imprimir también la dirección web de la página de su caso',
  'words.print.address.hint': 'Déjela fuera si alguien puede encontrar el papel.',
  'words.copy': 'Copiar las palabras',
  'words.copied':
    'Copiadas. Péguelas donde las guarda y luego copie otra cosa: otras aplicaciones pueden leer lo último que se copió.',
  'words.not_copied': 'Su navegador no las copió. Anótelas o imprímalas.',
  'words.hide': 'Ocultar las palabras',
  'words.show': 'Mostrar las palabras',

  'sent.title': 'Su caso está abierto',
  'sent.due':
    'Gracias. Un investigador leerá pronto su pregunta, y usted recibirá nuestra respuesta a más tardar el {#strong}{$time}{/strong}.',
  'sent.danger':
    '{#strong}Escribió que alguien está en peligro ahora mismo.{/strong} Por favor, llame al número de emergencias de su país. Trabajamos en horas, no en minutos. {#link}Números por país{/link}',
  'sent.words': 'Sus doce palabras',
  'sent.words.text':
    'Vuelva con ellas para seguir el caso, escribirnos y leer la respuesta. Nadie puede dárselas otra vez.',
  'sent.case': 'Ir a mi caso',
  'sent.case.server':
    'El botón envía sus doce palabras a nuestro servidor, que abre su caso con ellas y luego las olvida.',
  'sent.close':
    'Cierre esta página cuando tenga las palabras. En un dispositivo compartido, borre también el historial.',
  'sent.already.title': 'Su pregunta fue enviada',
  'sent.already': 'Escriba sus doce palabras para seguir su caso.',
  'unsent.wrote': 'Lo que escribió',
  'unsent.copy': 'Cópielo ahora: no hemos guardado nada.',

  'check.title': 'Revise sus respuestas',
  'check.change': 'Cambiar',
  'check.change.field': 'Cambiar: {$label}',
  'check.empty': 'Sin respuesta',
  'check.yes': 'Sí',
  'check.no': 'No',
} as const satisfies Readonly<Record<keyof typeof englishInquiry, string>>;
