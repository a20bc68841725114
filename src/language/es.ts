/**
 * The sentences for people in Spanish, as it is understood all over Latin America, with *usted*.
 *
 * Two words for two ideas, as in English: what we cannot read is *bajo llave*, what is gone is *borrado*.
 */
import type { Catalogue } from './catalogue.ts';
import { spanishCopies } from './es/case-copies.ts';
import { spanishFaults } from './es/faults.ts';
import { spanishFrame } from './es/frame.ts';
import { spanishHome } from './es/home.ts';
import { spanishFields } from './es/inquiry-fields.ts';
import { spanishInquiry } from './es/inquiry-page.ts';
import { spanishLetters } from './es/letters.ts';
import { spanishPermissions } from './es/permissions.ts';
import { spanishPrivacy } from './es/privacy.ts';
import { spanishSafety } from './es/safety.ts';

export const spanish = {
  ...spanishFrame,
  ...spanishHome,
  ...spanishInquiry,
  ...spanishFields,
  ...spanishFaults,
  ...spanishPermissions,
  ...spanishPrivacy,
  ...spanishSafety,
  ...spanishLetters,
  ...spanishCopies,

  'time.locale': 'es-419',
  'time.in_days': '.input {$days :integer} .match $days one {{en {$days} día}} * {{en {$days} días}}',
  'time.days_late':
    '.input {$days :integer} .match $days one {{con {$days} día de retraso}} * {{con {$days} días de retraso}}',
  'time.days_from_now':
    '.input {$days :integer} .match $days one {{dentro de {$days} día}} * {{dentro de {$days} días}}',
  'time.in_hours': '.input {$hours :integer} .match $hours one {{en {$hours} hora}} * {{en {$hours} horas}}',
  'time.hours_late':
    '.input {$hours :integer} .match $hours one {{con {$hours} hora de retraso}} * {{con {$hours} horas de retraso}}',
  'time.hours_from_now':
    '.input {$hours :integer} .match $hours one {{dentro de {$hours} hora}} * {{dentro de {$hours} horas}}',
  'time.in_hour': 'en menos de una hora',
  'time.hour_late': 'con menos de una hora de retraso',
  'time.hour_from_now': 'dentro de menos de una hora',
  'time.local': '{$local} ({$utc})',

  'check.title': 'Revise sus respuestas',
  'check.change': 'Cambiar',
  'check.change.field': 'Cambiar: {$label}',
  'check.empty': 'Sin respuesta',
  'check.yes': 'Sí',
  'check.no': 'No',

  'case.title': 'Su caso',
  'case.received.title': 'Tenemos su pregunta',
  'case.received': 'Un investigador la abrirá pronto. No tiene que hacer nada.',
  'case.in_progress.title': 'Un investigador está trabajando en ella',
  'case.in_progress': 'No tiene que hacer nada.',
  'case.awaiting_client.title': 'Tenemos una pregunta para usted',
  'case.awaiting_client': 'Por favor, respóndala abajo. Nuestro plazo sigue siendo el mismo.',
  'case.delivered.title': 'Su respuesta está aquí',
  'case.delivered': 'Léala abajo, y guarde lo que quiera conservar.',
  'case.declined.title': 'No pudimos aceptar este caso',
  'case.declined': 'Lo sentimos. Su investigador explica abajo por qué.',
  'case.withdrawn.title': 'Usted retiró este caso',
  'case.withdrawn': 'Hemos dejado de trabajar en él.',
  'case.late':
    'Esto está tardando más de lo que prometimos, y lo sentimos. Su caso sigue abierto, y no tiene que hacer nada.',
  'case.due': 'Respuesta a más tardar: {$time}, {$left}',
  'case.deletion': 'Borraremos este caso el {$time}, {$left}.',
  'case.deletion.now': 'Este caso se está borrando en este momento.',
  'case.ends_soon': 'Pronto borraremos este caso. Si lo necesita más tiempo, elija abajo un día posterior.',
  'case.shortened':
    'Hemos acortado el tiempo que guardamos este caso, de {$former :integer} a {$days :integer} días. Puede cambiarlo abajo.',
  'case.call.offered':
    'Su servicio también incluye una llamada. Cuando quiera, díganos abajo cuándo le conviene.',
  'case.call.proposed': 'Tenemos sus horas para la llamada. Confirmaremos una de ellas aquí.',
  'case.call.booked': 'Su llamada está acordada. La hora está abajo.',
  'case.call.hint': 'Díganos hasta tres horas que le convengan. Confirmaremos una aquí.',
  'case.call': 'Su llamada',
  'case.call.when': 'Cuándo',
  'case.call.suggested': 'Horas que usted propuso',
  'case.call.number': 'Número al que llamaremos',
  'case.call.number.none': 'Todavía no tenemos un número suyo. Por favor, envíelo abajo en un mensaje.',
  'case.call.suggest': 'Proponer o cambiar horas para la llamada',
  'case.call.another': 'Pedir otra hora',
  'case.call.send': 'Enviar estas horas',
  'case.call.sent': 'Sus horas fueron enviadas. Confirmaremos una aquí.',
  'case.call.calendar': 'Guardar en su calendario',
  'case.call.calendar.title': 'Cita',
  'case.call.calendar.hint': 'La entrada se llama “{$title}” y no dice nada de nosotros.',
  'case.call.calendar.none':
    'Con JavaScript activado, esta página muestra su propia zona horaria y puede guardar la llamada en su calendario.',
  'case.answer': 'La respuesta',
  'case.messages': 'Mensajes',
  'case.inquiry': 'Lo que envió',
  'case.end': 'Borrar este caso',
  'case.programs.text':
    'Si permitió que un programa actúe por usted con las palabras de este caso, o con su dirección de correo, puede {#link}ver y terminar lo que puede hacer{/link}.',
  'case.you': 'Usted',
  'case.investigator': 'Investigador',
  'case.row.service': 'Servicio',
  'case.row.locked': 'Bajo llave',
  'case.row.locked.browser': 'En su navegador',
  'case.row.locked.agent': 'Por el programa que lo envió',
  'case.row.locked.server': 'Por nuestro servidor, al llegar',
  'case.row.fingerprint': 'Huella de la llave',
  'case.refunds': 'Cuándo le devolvemos su dinero',
  'case.fingerprint.note':
    'Su investigador debería ver los mismos quince dígitos. Si le dice otros, deje de escribir aquí y avísenos por otro camino.',
  'case.file.save': 'Guardar {$file}',
  'case.file.loading': 'Cargando y comprobando: {$percent :integer} %',
  'case.file.saved': 'Comprobado y guardado.',
  'case.write': 'Escriba a su investigador',
  'case.write.send': 'Enviar',
  'case.write.sent': 'Su mensaje fue enviado.',
  'case.keep': '¿Cuándo debemos borrar este caso?',
  'case.keep.hint':
    'Puede cambiarlo cuantas veces quiera mientras el caso exista. Si el día que elige ya pasó, lo borramos de inmediato.',
  'case.keep.days': '{$days :integer} días después de nuestra respuesta',
  'case.keep.save': 'Guardar',
  'case.keep.unknown': 'Elija uno de los días de la lista',
  'case.keep.saved': 'Borraremos este caso {$days :integer} días después de nuestra respuesta.',
  'case.withdraw': 'Retirar este caso',
  'case.withdraw.hint':
    'Dejamos de trabajar de inmediato, y borramos el caso después de {$hours :integer} horas. No se puede deshacer. Antes de retirarlo, vea en nuestra página de reembolsos si le devolveremos su dinero.',
  'case.withdraw.act': 'Retirar',
  'case.withdraw.unsure': 'Marque esto si quiere retirar el caso',
  'case.withdraw.done': 'Su caso queda retirado.',
  'case.purge.word': 'BORRAR',
  'case.purge': 'Para borrar todo ahora, escriba {$word}',
  'case.purge.hint': 'Todo lo que hay en este caso se perderá para siempre. Guarde antes lo que necesite.',
  'case.purge.act': 'Borrar ahora',
  'case.purge.unsure': 'Escriba {$word} si quiere borrar todo',
  'case.purge.done.title': 'Se borró todo',
  'case.purge.done':
    'Lo que envió y todo lo que se agregó a su caso ya no existe, y tampoco la llave de ninguna copia en nuestros discos.',
  'steps.title': 'En qué punto está su caso',
  'steps.received': 'Lo recibimos',
  'steps.opens': 'Un investigador lo abrirá',
  'steps.opened': 'Un investigador lo abrió',
  'steps.works': 'Un investigador está trabajando en él',
  'steps.since': 'desde el {$time}',
  'steps.waits': 'Esperamos su respuesta',
  'steps.answer': 'Recibirá nuestra respuesta',
  'steps.by': 'a más tardar el {$time}',
  'steps.was_due': 'el plazo era el {$time}',
  'steps.answered': 'Tiene nuestra respuesta',
  'steps.deleted': 'Borraremos todo',
  'look.act': 'Buscar novedades',
  'look.about': 'Esta página también revisa por sí sola, una vez por minuto mientras está en su pantalla.',
  'look.at': 'Última revisión: {$time}.',
  'look.nothing': 'Nada nuevo.',
  'look.message': 'Nuevo: un mensaje de su investigador.',
  'look.answer': 'Nuevo: su respuesta está aquí.',
  'look.changed': 'Nuevo: {$title}',
  'lock.act': 'Cerrar mi caso con llave',
  'lock.warning':
    'Hace un rato que no pasa nada aquí. Su caso quedará bajo llave en menos de un minuto, y lo que escribió y no envió se perderá.',
  'lock.stay': 'Dejarlo abierto',
  'lock.idle':
    'Pusimos su caso bajo llave porque aquí no pasó nada durante {$minutes :integer} minutos. Escriba sus palabras para abrirlo otra vez.',
  'lock.closed':
    'Su caso está otra vez bajo llave. Sus doce palabras lo abren. En un dispositivo compartido, cierre también esta pestaña.',
  'lock.plain':
    'Cuando termine, cierre esta pestaña. Si no, quien use después este dispositivo puede leer aquí su caso.',

  'files.chosen': 'Sus archivos',
  'files.looking': 'Mirando sus archivos…',
  'files.count':
    '.input {$count :integer} .match $count one {{{$count} archivo elegido.}} * {{{$count} archivos elegidos.}}',
  'files.remove': 'Quitar',
  'files.remove_file': 'Quitar {$file}',
  'files.removed': 'Quitado: {$file}',
  'files.cleaned': 'Le quitamos el lugar y los datos de la cámara antes de enviarlo.',
  'files.converted': 'Se envía como imagen JPEG, sin el lugar ni los datos de la cámara.',
  'files.kept': 'Conserva el lugar y los datos de la cámara, como usted pidió.',
  'files.unclean':
    'Este archivo puede mostrar dónde, cuándo y con qué aparato se hizo. No podemos quitar eso. Quite el archivo si no es seguro para usted.',
  'files.unclean_kinds':
    'Podemos limpiar imágenes JPEG, PNG y WebP. Todo lo demás, como fotos HEIC, PDF y videos, se envía tal como está, con todo lo que diga de usted.',
  'files.empty': '“{$file}” quedó fuera: está vacío.',
  'files.too_large': '“{$file}” quedó fuera: un archivo puede ocupar {$limit :integer} MB como máximo.',
  'files.too_many': '“{$file}” quedó fuera: puede enviar {$limit :integer} archivos como máximo.',
  'files.too_much':
    '“{$file}” quedó fuera: todos los archivos juntos pueden ocupar {$limit :integer} MB como máximo.',
  'files.waiting': 'Esperando la conexión. Seguiremos desde donde nos quedamos. No cierre esta página.',
  'case.write.no_files':
    'Para enviar también archivos, abra su caso en un navegador con JavaScript activado: los pone bajo llave antes de enviarlos.',
  'problem.file_empty': 'Este archivo está vacío. Déjelo fuera.',

  'notice.sent':
    'No tiene que estar mirando: en la página de su caso puede pedir que le avisemos cuando haya algo nuevo, sin que eso revele nada.',
  'notice.by_feed': 'Usar un canal privado',
  'notice.by_calendar': 'Poner un recordatorio en mi calendario',
  'notice.feed.about':
    'Si tiene un lector de canales (Atom), puede preguntarnos si hay algo nuevo. No se entera nadie más que el programa o el servicio que lee el canal por usted; por eso, use un lector en su propio dispositivo. Quien encuentre la dirección del canal puede ver si hay algo nuevo, y nada más: no abre su caso.',
  'notice.feed.show': 'Mostrar la dirección de mi canal',
  'notice.feed.ready': 'Su canal está listo.',
  'notice.feed.title': 'Novedades',
  'notice.feed.nothing': 'No hay nada nuevo.',
  'notice.feed.something': 'Hay algo nuevo.',
  'notice.calendar.about':
    'Su navegador hace un archivo de calendario que dice «{$title}» y nada sobre nosotros. Muchos calendarios se copian a un servidor y se muestran en otros dispositivos.',
  'notice.calendar.title': 'Volver a mirar',
  'notice.calendar.save': 'Guardar el archivo de calendario',
  'notice.title': 'Cuando haya algo nuevo',
  'notice.intro':
    'Puede volver con sus doce palabras cuando quiera. Si prefiere no estar pendiente, elija cómo recibir un aviso.',
  'notice.by_mail': 'Avisarme por correo',
  'notice.about':
    'Podemos enviarle un correo cuando tengamos una pregunta, cuando su respuesta esté lista, {$days :integer} días y {$hours :integer} horas antes de borrar este caso, y una vez borrado. El correo dice solo que hay algo nuevo: no nos nombra y no lleva ningún enlace. Llega a medianoche, a las 6, a las 12 o a las 18 horas UTC, nunca en el momento en que pasa algo.',
  'notice.price':
    'El correo tiene sus riesgos. Su proveedor de correo, y cualquiera que lea su correo, verá que alguien le escribe, y la dirección desde la que escribimos. Y si nos da la dirección con la que pagó, quien consiguiera nuestras llaves y los registros de nuestro proveedor de pagos podría relacionarle con este caso. Por eso, denos otra dirección, y mejor una que nadie más pueda abrir.',
  'notice.address': 'Dirección de correo',
  'notice.address.hint':
    'No la dirección con la que pagó. La ponemos bajo llave, no la usamos para nada más y la borramos con su caso.',
  'notice.address.invalid': 'Escriba una sola dirección de correo, como nombre@example.com',
  'notice.save': 'Avisarme',
  'notice.saved': 'Le enviaremos un correo cuando haya algo nuevo.',
  'notice.on': 'Le enviaremos un correo cuando haya algo nuevo. Para usar otra dirección, escríbala abajo.',
  'notice.stop': 'Parar, y borrar mi dirección',
  'notice.stopped': 'Su dirección está borrada. Ya no le enviaremos correos.',
  'notice.mail.subject': 'Hay algo nuevo',
  'notice.mail.new': 'Nos pidió que le avisáramos cuando hubiera algo nuevo. Lo hay.',
  'notice.mail.last':
    'Nos pidió que le avisáramos cuando hubiera algo nuevo. Este es el último de estos mensajes: todo se borró, y ahora que le escribimos se borra también su dirección.',
  'notice.mail.where':
    'Usted sabe dónde mirar. Este mensaje no lleva ningún enlace a propósito, y nadie le pedirá nada por correo.',
  'case.deleted_on': 'Borramos este caso el {$day}. Lo que contenía ya no existe.',

  'find.title': 'Volver a su caso',
  'find.lead': 'Escriba las doce palabras que anotó cuando envió su pregunta.',
  'find.words': 'Sus doce palabras',
  'find.words.hint': 'En inglés y en su orden. Las mayúsculas, las comas y los saltos de línea no importan.',
  'find.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Sus palabras van a nuestro servidor, que abre su caso con ellas y luego las olvida.',
  'find.note.browser':
    '{#strong}Sus palabras se quedan en su navegador.{/strong} Su caso se abre aquí, no en nuestro servidor.',
  'find.open': 'Ir a mi caso',
  'find.lost': 'No encuentro mis palabras',
  'find.lost.lead':
    'Sin ellas, nadie puede abrir su caso por usted. No guardamos ninguna copia, así que no podemos enviarlas otra vez ni hacer otras. Esto es lo que todavía sirve:',
  'find.lost.look':
    '{#strong}Busque su copia:{/strong} una hoja de papel, un gestor de contraseñas, sus notas o sus fotos.',
  'find.lost.type':
    '{#strong}Escriba lo que pueda leer.{/strong} Bastan las primeras cuatro letras de una palabra, y si una letra está mal, esta página sugiere la palabra.',
  'find.lost.reach':
    '{#strong}Si en el formulario nos dijo cómo comunicarnos con usted,{/strong} su investigador todavía puede hacerlo. El trabajo en su caso sigue.',
  'find.lost.write':
    '{#link}Escríbanos{/link} para cualquier otra cosa. No podemos buscar un caso por usted, porque no podemos saber que es suyo.',
  'find.lost.end': 'Su caso se borrará el día que está fijado, vuelva usted o no.',

  'contact.title': 'Escríbanos',
  'contact.lead':
    'Solo nuestros investigadores pueden leer esto. Si ya tiene un caso con nosotros, escriba mejor en {#link}la página de su caso{/link}.',
  'contact.topic': '¿De qué se trata?',
  'contact.topic.question': 'Una pregunta',
  'contact.topic.privacy_request': 'Mis datos',
  'contact.topic.abuse_report': 'Avisar de un mal uso',
  'contact.topic.security': 'Avisar de un problema de seguridad',
  'contact.topic.press': 'Consulta de prensa',
  'contact.message': 'Su mensaje',
  'contact.reply_to': '¿Cómo podemos responderle?',
  'contact.reply_to.hint':
    'Una dirección de correo o un número de teléfono que nadie más pueda ver ni contestar. Sin eso no podemos responder.',
  'contact.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Nuestro servidor pone su mensaje bajo llave en cuanto llega, y puede leerlo durante ese momento. No se guarda nada legible.',
  'contact.note.browser': '{#strong}Bajo llave en su navegador.{/strong} Nuestro servidor nunca ve el texto.',
  'contact.send': 'Enviar',
  'contact.full':
    'Nuestro buzón está lleno en este momento. Por favor, escriba a {#link}{$address}{/link}. Un correo puede leerse en el camino, así que no ponga en él nada sobre un caso.',
  'contact.full.write': 'Nuestro buzón está lleno en este momento. Por favor, escriba a {$address}.',
  'contact.full.case':
    'Si ya tiene un caso con nosotros, escriba en {#link}la página de su caso{/link}: eso sigue funcionando.',
  'contact.sent.title': 'Gracias',
  'contact.sent': 'Su mensaje nos llegó, bajo llave. Si nos dijo cómo responderle, lo haremos.',

  'paid.quote':
    'Para encontrar su pago solo necesitamos el día y la hora en que pagó, y el número de su recibo si lo tiene. Por favor, no incluya su pregunta.',
  'paid.prices': 'Ver los tres servicios',
  'paid.cancelled.title': 'Pago cancelado',
  'paid.cancelled': 'No se cobró nada. Puede elegir otra vez cuando quiera.',
  'paid.processing.title': 'Su pago está en camino',
  'paid.processing':
    'Su banco todavía no ha confirmado el pago. El formulario se abre aquí en cuanto lo haga.',
  'paid.processing.close': 'Puede cerrar esta página y volver a ella en este navegador.',
  'paid.processing.again': 'Mirar otra vez',
  'paid.failed.title': 'Su pago no se completó',
  'paid.failed':
    'Su banco no lo confirmó, así que no hay formulario que llenar. Si todavía quiere preguntar, pague otra vez, por favor.',
  'paid.failed.charged':
    '¿De todos modos aparece un cobro en su estado de cuenta? {#link}Escríbanos{/link}, y díganos cómo podemos responderle.',
  'paid.held':
    'Su pago llegó y no está perdido. Tuvimos que recuperar nuestros registros de una copia de seguridad, así que estamos comprobando que este pago no se haya usado antes. Después, el formulario se abre aquí.',
  'paid.held.wait':
    'Vuelva a esta página en unas horas. Si ya envió su consulta, no la necesita: escriba sus doce palabras en la página de su caso. Si ahí no abren nada, escríbanos, por favor.',
  'paid.none.title': 'Aquí no hay ningún formulario abierto',
  'paid.none':
    'Un formulario se abre aquí cuando ha pagado, en el navegador con el que pagó. Se puede enviar una sola vez.',
  'paid.none.browser':
    '{#strong}¿Pagó en otro navegador?{/strong} Abra ahí nuestra página de inicio: lleva a su formulario.',
  'paid.none.mail':
    '{#strong}¿Cerró la ventana?{/strong} Revise su correo: {$minutes :integer} minutos después de pagar, enviamos un enlace de vuelta al formulario a la dirección que dio en la página de pago. Puede estar en la carpeta de correo no deseado.',
  'paid.sent':
    '{#strong}¿Ya envió su formulario?{/strong} Escriba sus doce palabras en {#link}la página de su caso{/link}.',
  'paid.none.stuck':
    '{#strong}¿No puede volver a él?{/strong} Su pago no está perdido. Escríbanos, y díganos cómo podemos responderle.',
  'paid.unavailable.title': 'Un momento, por favor',
  'paid.unavailable':
    'Ahora mismo no podemos consultar su pago al proveedor de pagos. Si pagó, no se pierde nada.',
  'paid.unavailable.reload': 'Cargue esta página otra vez en un minuto.',
  'paid.link.title': 'Volver a su formulario',
  'paid.link':
    'El botón abre su formulario en este navegador. Se queda abierto aquí hasta que lo envíe, durante {$days :integer} días como máximo.',
  'paid.link.private':
    'Si otras personas usan este dispositivo, abra mejor el enlace en una ventana privada.',
  'paid.link.open': 'Abrir mi formulario',
  'paid.link.none.title': 'Este enlace no abre ningún formulario',
  'paid.link.none':
    'Sirve hasta que se envía el formulario, y durante {$days :integer} días como máximo. Revise que tenga el enlace completo: puede haberse cortado en el mensaje.',
  'paid.link.none.stuck':
    '{#strong}¿No lo ha enviado?{/strong} Su pago no está perdido. Escríbanos, y díganos cómo podemos responderle.',

  'sign_in.title': 'Identifíquese',
  'sign_in.lead':
    '{#strong}{$client}{/strong} pide actuar por usted en {$site}. Primero díganos quién es, de una de dos maneras. Después, usted decide.',
  'sign_in.cancel': 'Cancelar y volver',
  'sign_in.address.title': 'Con su dirección de correo',
  'sign_in.address': 'Su dirección de correo',
  'sign_in.address.hint': 'Le enviaremos un código. {$more}',
  'sign_in.address.hint.client':
    'Guardamos la dirección bajo una llave nuestra, y se la decimos a {$client} solo si usted lo marca después.',
  'sign_in.address.send': 'Enviarme un código',
  'sign_in.address.invalid': 'Escriba una dirección de correo, como nombre@example.com',
  'sign_in.words.title': 'Con las palabras de un caso',
  'sign_in.words.hint.client':
    'El programa puede ver entonces en qué punto está ese caso. No recibe las palabras.',
  'sign_in.words.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Sus palabras van a nuestro servidor, que encuentra su caso con ellas y luego las olvida.',
  'sign_in.words.note.browser':
    '{#strong}Sus palabras se quedan en su navegador.{/strong} Solo envía lo que encuentra su caso.',
  'sign_in.words.send': 'Identificarme con las palabras',
  'sign_in.code.title': 'Escriba el código',
  'sign_in.code.lead':
    'Revise su correo. Un código de seis dígitos sirve durante {$minutes :integer} minutos, solo en este navegador. Uno más largo sirve todo el día.',
  'sign_in.code': 'Código',
  'sign_in.code.hint':
    '¿No está? Busque en el correo no deseado, y un correo anterior de hoy con un código más largo. El correo está en inglés.',
  'sign_in.code.send': 'Continuar',
  'sign_in.code.again': 'Usar otra dirección, o pedir un código nuevo',
  'sign_in.code.spent': 'Ese código ya no sirve. Pida uno nuevo.',
  'sign_in.code.wrong':
    '.input {$guesses :integer} .match $guesses one {{Ese no es el código. Puede intentarlo {$guesses} vez más.}} * {{Ese no es el código. Puede intentarlo {$guesses} veces más.}}',

  'consent.title': '¿Permitir que {$client} actúe por usted?',
  'consent.lead': 'Si lo permite, {#strong}{$client}{/strong} puede:',
  'consent.cases':
    'Sus casos son los que el programa envía por usted. No recibe las palabras de un caso que usted mismo envió.',
  'consent.cases.words':
    'Sus casos son los que el programa envía por usted, y el caso cuyas palabras acaba de usar. No recibe las palabras de un caso que usted mismo envió.',
  'consent.end':
    'Puede terminarlo en cualquier momento en la página {#link}Programas que actúan por usted{/link}. Si no, dura hasta que el programa renuncia a ello o no lo ha usado en {$unused :integer} días, y {$days :integer} días como máximo.',
  'consent.end.words':
    'Puede terminarlo en cualquier momento en la página {#link}Programas que actúan por usted{/link}. Si no, dura hasta que el programa renuncia a ello o no lo ha usado en {$unused :integer} días, hasta que se borra el caso, y {$days :integer} días como máximo.',
  'consent.back': 'Usted vuelve a {#code}{$place}{/code}. Permítalo solo si empezó ahí.',
  'consent.back.app': 'una aplicación en este dispositivo',
  'consent.email': 'Decir mi dirección de correo a {$client}',
  'consent.email.hint': 'Si no lo marca, le conoce solo por un número al azar.',
  'consent.allow': 'Permitir',
  'consent.refuse': 'No permitir',
  'scope.case_read':
    'ver en qué punto están sus casos, y traer los mensajes y respuestas bajo llave que hay en ellos',
  'scope.case_write.buy':
    'empezar una compra: cada una la paga de todos modos una persona, en la página del proveedor de pagos',
  'scope.case_write.send': 'enviar la consulta que se pagó, y escribir en sus casos',
  'scope.case_write.end':
    'cambiar cuánto tiempo se guarda un caso, o retirarlo: un caso retirado se borra después de {$hours :integer} horas',
  'scope.contact_write': 'enviarnos mensajes de contacto',
  'scope.pricing_read': 'leer nuestros precios, y si se aceptan pagos',

  'problem.quote': 'Si nos escribe sobre esto, mencione {#code}{$id}{/code}. No nos dice nada de usted.',
  'problem.not_found.title': 'No existe esa página',
  'problem.not_found': 'La dirección puede estar mal escrita, o la página ya no existe.',
  'problem.method_not_allowed.title': 'No existe esa página',
  'problem.method_not_allowed': 'Esta dirección no se puede abrir así.',
  'problem.payment_required.title': 'Este pago no puede abrir un caso',
  'problem.payment_required':
    'No está completo, se devolvió, o ya abrió un caso. Si tiene doce palabras, escríbalas en la página de su caso.',
  'problem.payment_held.title': 'Estamos revisando su pago',
  'problem.payment_held':
    'No se envió nada, y su pago no está perdido. Nuestros registros vienen de una copia de seguridad, así que estamos comprobando que este pago no se haya usado antes. Vuelva en unas horas, o escríbanos.',
  'problem.form_expired.title': 'Este formulario ya no está abierto en este navegador',
  'problem.form_expired':
    'Desde aquí no se envió nada. Si ya envió este formulario, por ejemplo en otra pestaña, sus doce palabras abren el caso. Si no, su pago no está perdido: use el enlace del correo que enviamos poco después de un pago, o escríbanos.',
  'problem.payload_too_large.title': 'Eso fue demasiado de una vez',
  'problem.payload_too_large': 'No se envió nada. Adjunte menos archivos, o más pequeños.',
  'problem.foreign_form.title': 'Esto no vino de nuestro sitio',
  'problem.foreign_form':
    'Para protegerle, solo aceptamos formularios de nuestras propias páginas. No se envió ni se cobró nada.',
  'problem.sign_in_expired.title': 'Esta identificación ya terminó',
  'problem.sign_in_expired':
    'Tardó demasiado, ya terminó, o empezó en otro navegador. Vuelva adonde empezó e inténtelo otra vez.',
  'problem.rate_limited.title': 'Espere un minuto, por favor',
  'problem.rate_limited':
    'Llegaron demasiadas peticiones desde su conexión. Espere un minuto e inténtelo otra vez.',
  'problem.payments_not_configured.title': 'En este momento no se aceptan pagos',
  'problem.payments_not_configured': 'No se pidió ni se cobró nada. Vuelva más tarde, por favor.',
  'problem.payment_provider_unavailable.title': 'No podemos comunicarnos con el proveedor de pagos',
  'problem.payment_provider_unavailable':
    'No se pidió ni se cobró nada. Inténtelo otra vez en un minuto, por favor.',
  'problem.storage_full.title': 'En este momento no hay lugar para esto',
  'problem.storage_full': 'No se guardó ni se cobró nada. Inténtelo otra vez más tarde, por favor.',
  'problem.sealing_unavailable.title': 'En este momento no se pudo poner bajo llave o abrir',
  'problem.sealing_unavailable': 'Inténtelo otra vez en unos segundos, por favor. Nada se guarda dos veces.',
  'problem.overloaded.title': 'Hay demasiada gente aquí en este momento',
  'problem.overloaded': 'Inténtelo otra vez en unos segundos, por favor.',
  'problem.case_unknown': 'Ningún caso se abre con estas palabras. Revise cada una, y su orden.',
  'problem.case_purged.title': 'Este caso fue borrado',
  'problem.case_purged': 'Este caso fue borrado. Lo que contenía ya no existe.',
  'problem.case_state': 'Su caso ha avanzado desde que se cargó esta página, así que eso ya no es posible.',
  'problem.case_changed': 'Algo nuevo acaba de llegar a su caso. Léalo, y luego envíe otra vez.',
  'problem.case_exists':
    'Estas doce palabras ya abren un caso. Cargue el formulario otra vez para recibir otras.',
  'problem.upload_incomplete': 'Un archivo no llegó completo. Envíelo otra vez: su texto sigue aquí.',
  'problem.terms_changed.title': 'Nuestras condiciones han cambiado',
  'problem.terms_changed':
    'Nuestras condiciones han cambiado desde que se abrió este formulario. Copie lo que escribió, cargue el formulario otra vez, lea ahí las condiciones y envíelo de nuevo. No se guardó nada, y su pago no se ha gastado.',
  'problem.sealing_keys_changed':
    'Las llaves que protegen su texto han cambiado. Copie lo que escribió, cargue esta página otra vez y envíelo de nuevo. No se guardó nada, y su pago no se ha gastado.',
  'problem.sealing_keys_changing':
    'Las llaves que protegen su texto se están cambiando en este momento. Inténtelo otra vez en unos minutos. No se guardó nada, y su pago no se ha gastado.',
  'problem.case_key_unreadable':
    'No se puede leer la llave de este caso, así que nadie puede abrirlo. Escríbanos, por favor.',
  'problem.contact_full':
    'En este momento esperan demasiados mensajes. “Quiénes somos”, al final de esta página, tiene una dirección a la que puede escribir.',
  'problem.unreachable':
    'No podemos comunicarnos con el servidor. Revise su conexión e inténtelo otra vez. Lo que escribió sigue aquí.',
  'problem.unexpected': 'Algo salió mal en este navegador. Lo que escribió sigue aquí: inténtelo otra vez.',
  'problem.sealer_broken':
    'Este navegador dejó de poner su texto bajo llave. Copie lo que escribió y luego cargue la página otra vez.',
  'problem.sealer_missing':
    'No se envió nada: su navegador no pudo ponerlo bajo llave. Lea la nota que está sobre el botón antes de presionarlo otra vez.',
  'problem.connection_lost':
    'Se perdió la conexión antes de que llegara todo el archivo. No se guardó nada: inténtelo otra vez.',
  'problem.unsupported': 'Esta página está desactualizada. Cárguela otra vez.',
  'problem.client.title': 'Eso no funcionó',
  'problem.client':
    'Algo de lo que envió su navegador no estaba bien. No se guardó nada. Inténtelo otra vez, por favor.',
  'problem.server.title': 'Algo salió mal de nuestro lado',
  'problem.server': 'No fue culpa suya. Inténtelo otra vez en un minuto, por favor.',
} as const satisfies Catalogue;
