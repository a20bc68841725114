/** The Spanish of what is wrong with a field, with the words, or with something that should have opened. */
import type { englishFaults } from '#language/en/faults.ts';

export const spanishFaults = {
  'fault.not_text': 'Escriba esto como texto',
  'fault.broken': 'Algunos caracteres están dañados. Escríbalos otra vez.',
  'fault.too_long': 'Escriba como máximo {$max :integer} caracteres; lleva {$length :integer}',
  'fault.not_boolean': 'Responda verdadero o falso',
  'fault.not_list': 'Dé esto como una lista',
  'fault.not_record': 'Dé esto como un objeto con campos',
  'fault.unknown': 'Este campo no se conoce',
  'fault.in_entry': 'Línea {$number :integer}: {$fault}',
  'fault.in_file': 'Archivo {$number :integer}: {$fault}',
  'fault.payment_ref.missing': 'Falta el pago. Vuelva a esta página desde la página de pago.',
  'fault.payment_ref.refused': 'Este no es un pago nuestro',
  'fault.alias.missing': 'Escriba un nombre con el que podamos llamarle. No tiene que ser el verdadero.',
  'fault.question.missing': 'Escriba al menos {$min :integer} caracteres, para que entendamos la pregunta',
  'fault.subject.missing': 'Escriba de quién o de qué se trata su pregunta',
  'fault.identifiers.missing': 'Escriba un nombre, un número o una dirección, o quite la línea',
  'fault.identifiers.too_many': 'Dé {$max :integer} como máximo',
  'fault.jurisdiction.missing': 'Elija el país donde está',
  'fault.jurisdiction.refused': 'Elija un país por sus dos letras mayúsculas, como MX',
  'fault.safety_risk.missing': 'Diga si hay alguien en peligro',
  'fault.subject_is_protected.missing':
    'Diga si se trata de un menor, de su pareja o expareja, o de alguien protegido por una orden judicial',
  'fault.contact_mode.missing': 'Elija cómo podemos comunicarnos con usted',
  'fault.contact_value.unused': 'Elija cómo podemos usar esto, o déjelo vacío y vuelva con sus palabras',
  'fault.contact_value.missing':
    'Escriba su dirección de correo o su número, o elija volver con sus palabras',
  'fault.contact_value.email': 'Escriba una dirección de correo, como nombre@example.com',
  'fault.call_number.missing': 'Escriba el número al que debemos llamar',
  'fault.call_number.refused': 'Escriba un número de teléfono con dígitos, como +57 601 555 0100',
  'fault.call_number.none': 'Solo Dossier incluye una llamada. Deje vacío el número.',
  'fault.call.refused': 'Solo un investigador puede acordar la llamada',
  'fault.call_windows.missing': 'Elija al menos un horario',
  'fault.call_windows_start.past': 'Elija un día y una hora que todavía no hayan pasado',
  'fault.call_windows_start.far': 'Elija un día y una hora dentro de los próximos doce meses',
  'fault.call_windows.none': 'Solo Dossier incluye una llamada. Deje vacíos los horarios.',
  'fault.call_windows.too_many': 'Proponga como máximo {$max :integer} horarios para la llamada',
  'fault.call_windows_start.missing': 'Diga cuándo puede empezar la llamada',
  'fault.call_windows_start.refused': 'Escriba la fecha y la hora así: 2026-12-31T14:30',
  'fault.call_windows_end.missing': 'Diga cuándo debe terminar la llamada',
  'fault.call_windows_end.refused': 'Escriba la fecha y la hora así: 2026-12-31T14:30',
  'fault.call_windows_end.order': 'La llamada debe terminar después de empezar',
  'fault.call_windows_zone.missing': 'Escriba su zona horaria',
  'fault.call_windows_zone.refused': 'Escriba una zona horaria que conozcamos, como Bogotá (America/Bogota)',
  'fault.lawful_purpose.missing': 'Confirme que su propósito es legal. Sin eso no podemos empezar.',
  'fault.files.too_many': 'Adjunte como máximo {$max :integer} archivos',
  'fault.files.too_large': 'Juntos, sus archivos pueden ocupar como máximo {$max :integer} MB',
  'fault.files.larger': '“{$name}” tiene más de {$max :integer} MB. Déjelo fuera o hágalo más pequeño.',
  'fault.files.named': '“{$name}”: {$fault}',
  'fault.files.name_long': 'acorte su nombre a {$max :integer} caracteres como máximo',
  'fault.files.not_kept': 'Elija sus archivos otra vez: su navegador no los conserva',
  'fault.files_name.missing': 'Dé un nombre al archivo',
  'fault.files_name.refused': 'Dé al archivo un nombre sin barras',
  'fault.files_mime.refused': 'No conocemos este tipo de archivo. Déjelo fuera.',
  'fault.files_size.refused':
    'Este archivo tiene más de {$max :integer} MB. Déjelo fuera o hágalo más pequeño.',
  'fault.topic.missing': 'Elija de qué se trata',
  'fault.message.missing': 'Escriba al menos {$min :integer} caracteres, para que podamos responder',
  'fault.text.missing': 'Escriba algo',
  'fault.markdown.missing': 'Escriba la respuesta, o adjúntela como archivo',
  'fault.asked_word.missing': 'Escriba la palabra {$position :integer} de su propia copia de las palabras',
  'fault.asked_word.wrong':
    'Esta no es la palabra {$position :integer}. Revise su copia, contando desde la primera palabra.',
  'fault.words.damaged':
    'Las palabras se dañaron en el camino. Anote estas nuevas; las anteriores no abren nada.',

  'problem.words_count':
    '.input {$count :integer} .match $count 0 {{Escriba las doce palabras de su caso.}} one {{Escribió {$count} palabra; son doce. Escríbalas todas, en su orden.}} * {{Escribió {$count} palabras; son doce. Escríbalas todas, en su orden.}}',
  'problem.words_long': 'Son más de doce palabras. Escriba las doce de su caso.',
  'problem.words_checksum':
    'Cada una es una de nuestras palabras, pero no van juntas. Revise el orden y las palabras que se parecen.',
  'words.unknown': 'Revise la palabra {$position :integer}: no es una de nuestras palabras.',
  'words.unknown.near':
    'Revise la palabra {$position :integer}: no es una de nuestras palabras. ¿Quiso decir {$near}?',
  'words.near': '“{$word}”',
  'words.near.or': '{$first} o {$second}',
  'words.unknown.more': 'Y {$count :integer} más: revise cómo está escrita cada palabra.',
  'problem.wrong_key': 'Sus palabras no abren esta parte. Revise que sean las de este caso.',
  'problem.tampered':
    'Se dañó, o se cambió después de enviarse, así que no se muestra nada de ello. Intente cargarlo otra vez.',
  'problem.truncated': 'No llegó completo, así que no se muestra nada de ello. Intente cargarlo otra vez.',
  'problem.forged': 'No lo escribió nadie que tenga la llave de este caso, así que no se muestra.',
  'problem.swapped': 'Pertenece a otro lugar o a otro caso, así que no se muestra aquí.',
  'problem.unknown_form': 'No tiene la forma en que escribe este servicio, así que no se muestra ({$size}).',
  'problem.left_out':
    'No se muestra aquí: su caso tiene más texto del que cabe en esta página. Con JavaScript activado, su navegador lo muestra todo.',
  'problem.too_large': 'Es demasiado grande para ponerlo bajo llave. No se envió nada.',
  'problem.recipient_refused':
    'Falta la llave con la que se protege, o no es correcta. No se envió nada. Cargue la página otra vez.',
  'problem.image_damaged':
    'No se pueden quitar los datos ocultos de esta imagen, porque el archivo está dañado. Déjela fuera, o elija arriba conservar la ubicación y los datos de la cámara.',
  'problem.file_gone': 'El archivo se cambió o se movió. Elija los archivos otra vez.',

  'meant.ask': 'Este mensaje pide una respuesta.',
  'meant.decline': 'Con este mensaje el caso no se acepta.',
  'meant.retain': 'Con este mensaje, el caso se conserva {$days :integer} días después de la respuesta.',
  'differs.declined':
    'No confíe en lo que esta página dice del caso: aparece como no aceptado, pero ningún mensaje del investigador lo dice. Pregunte por otro medio.',
  'differs.not_declined':
    'No confíe en lo que esta página dice del caso: según el último mensaje del investigador no se aceptó, pero aparece como si siguiera. Pregunte por otro medio.',
  'differs.asked':
    'No confíe en lo que esta página dice del caso: aparece a la espera de una respuesta, pero ningún mensaje del investigador la pide.',
  'differs.kept':
    'Según el mensaje del investigador, el caso se conserva {$set :integer} días después de la respuesta, pero aquí figuran {$told :integer}. Solo es correcto si después se eligieron aquí otros días.',
  'differs.taken_back':
    'No confíe en la respuesta de abajo: un mensaje del investigador dice que quedó anulada. Pida la que vale.',
  'differs.finding_missing':
    'Un mensaje del investigador dice que hay una respuesta, pero no está aquí. Pídala por otro medio.',
  'thread.crossed': 'Escrito antes de que se leyera el mensaje anterior de la otra parte.',
  'thread.unlinked': 'Enviado sin constancia de qué mensajes se habían leído antes.',
  'thread.after_gap': 'No se puede comprobar, porque falta un mensaje anterior.',
  'thread.altered': 'No confíe en esto: quien lo escribió vio arriba mensajes distintos de los que ve usted.',
  'thread.missing':
    '.input {$count :integer} .match $count 1 {{Falta el mensaje {$first :integer}. Un mensaje posterior se refiere a él: pídalo, o envíelo otra vez.}} * {{Faltan los mensajes del {$first :integer} al {$last :integer}. Un mensaje posterior se refiere a ellos: pídalos, o envíelos otra vez.}}',
} as const satisfies Readonly<Record<keyof typeof englishFaults, string>>;
