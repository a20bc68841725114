/** The Spanish of the privacy page. */
import type { englishPrivacy } from '#language/en/privacy.ts';

export const spanishPrivacy = {
  'privacy.title': 'Privacidad: qué guardamos y quién puede leerlo',
  'privacy.description':
    'Qué guardamos de una consulta, quién puede leerlo, cuándo se borra y qué podría salir mal.',
  'privacy.heading': 'Qué sabemos de usted',
  'privacy.lead':
    'Lo mínimo que permite el trabajo. Esta página dice qué guardamos, quién puede abrirlo, cuándo lo borramos y dónde termina nuestra protección.',
  'privacy.payment': 'Su pago',
  'privacy.end': 'Cuándo borramos qué',
  'privacy.visit': 'Su visita',
  'privacy.risk': 'Qué podría salir mal',
  'privacy.questions': 'Preguntas',
  'privacy.case.locked':
    'Su pregunta, sus archivos, sus mensajes y la respuesta quedan bajo llave antes de guardarse. Con JavaScript, lo hace su navegador y nuestro servidor nunca ve el texto. Sin JavaScript, lo hace el servidor en cuanto llegan y no anota nada de ellos; el formulario se lo dice antes de enviar.',
  'privacy.case.sides':
    'Dos partes pueden abrir un caso: usted, con sus doce palabras, y nuestros investigadores, con llaves que no están en el servidor. Hay una sola llave de reserva, por si se pierde la de un investigador; también se guarda lejos del servidor. No podemos darle otra vez sus doce palabras. Quien las tenga puede leer el caso, y sin ellas usted no puede.',
  'privacy.case.messages':
    'Cada mensaje da fe de los anteriores: si uno se quita o se reemplaza después de que alguien lo contestó, la página del caso muestra a ambas partes que falta algo. La página también muestra veinte dígitos, la huella de la llave del caso, y su investigador ve los mismos. Si los de su investigador son distintos, puede que alguien esté interceptando sus mensajes: deje de escribir ahí y avísenos por otro medio.',
  'privacy.case.notes':
    'Nuestros investigadores pueden guardar en un caso notas que solo ellos pueden leer. Están bajo llave como el caso. También guardamos una lista de qué investigador leyó o cambió un caso, y cuándo. Ambas cosas se borran con el caso. Si uno de ellos borra un caso terminado antes de su fecha, la lista conserva quién lo hizo y qué día, pero no de qué caso se trataba. La misma lista dice quién decidió algo sobre un pedido, con el día, o marcó como atendido un mensaje del formulario de contacto; eso se borra cuando se borra el pedido o el mensaje.',
  'privacy.case.open':
    'No está bajo llave, porque el trabajo lo necesita: qué servicio compró, cuándo se envió el caso y cuál es su plazo, en qué punto está, cuándo lo abrió un investigador y quién lo lleva, cuánto tiempo quiere que se guarde y su tamaño aproximado.',
  'privacy.case.device':
    'Para su consulta, nuestras páginas guardan en su dispositivo una cookie hasta que se envíe el formulario, una de corta duración que dice que allí empezó un pago, y otra con su idioma si elige uno distinto del de su navegador. No guardan nada más, salvo que marque “Conservar lo que escribo si esta página se recarga”: entonces su pestaña guarda lo que escribió y sus doce palabras, bajo llave. Nosotros tenemos la mitad de la llave, y la borramos cuando envía el formulario, cuando presiona “Salir de esta página” o después de un día.',
  'privacy.payment.stripe':
    'Usted paga en la página de nuestro proveedor de pagos, Stripe, según sus propias reglas. Stripe conoce su nombre, su tarjeta y su dirección de correo. Lo que compró se llama “Online research” (investigación en línea) en esa página, en su recibo y, después de nuestro nombre corto, en el estado de cuenta de su tarjeta. El número de su tarjeta nunca nos llega.',
  'privacy.payment.mail':
    'Si {$minutes :integer} minutos después de pagar no ha enviado su formulario, pedimos a Stripe esa dirección de correo y mandamos allí un solo mensaje, con un enlace de vuelta al formulario. No dice qué compró, y no guardamos la dirección. Hasta que se envíe el formulario, nuestro registro del pedido guarda solo una huella del enlace. Quien pueda leer su correo puede abrir con el enlace el formulario vacío, durante {$days :integer} días como máximo y solo hasta que usted lo haya enviado; nadie puede usarlo para leer lo que usted escribió.',
  'privacy.payment.order':
    'Nuestro registro del pedido dice qué se compró, por cuánto y si se pagó. Una vez enviado el formulario, el pedido conserva el día, pero no la hora. La parte de su caso que no está bajo llave no nombra el pedido: lo único que une a los dos está en la parte bajo llave. Pero ambos nombran el servicio, así que en un día en que vendimos ese servicio una sola vez se puede saber cuáles van juntos.',
  'privacy.news': 'Si quiere que le avisemos de novedades',
  'privacy.news.text':
    'Solo si lo pide en la página de su caso, le enviamos un correo cuando hay algo nuevo. Usted nos da una dirección de correo para esto y nada más: no tomamos ninguna de su pago, y nuestro servidor no podría leer una en su pregunta. La ponemos bajo una llave nuestra, aparte de su caso, la dejamos fuera de nuestras copias de seguridad, y la borramos cuando usted lo diga o, a más tardar, después del último correo. Cada correo dice solo que hay algo nuevo. Llegan a una de cuatro horas fijas.',
  'privacy.news.address':
    'Por favor, no use la dirección de correo con la que pagó. Si lo hiciera, quien tuviera nuestra llave, nuestros registros y los de nuestro proveedor de pagos podría saber que el caso es suyo.',
  'privacy.news.without':
    'También hay una manera de acordarse que no necesita su dirección de correo: el archivo de calendario lo hace su navegador, y nosotros no nos enteramos.',
  'privacy.programs.text':
    'Puede permitir que un programa, como un asistente, compre, envíe y lea casos por usted. El programa ve lo que envió por usted. Del caso con cuyas palabras usted inició sesión, ve en qué punto está; lo que está escrito ahí sigue bajo llave para el programa. No ve nada de otras personas que usan el mismo programa. Conoce su dirección de correo solo si usted marca una casilla para eso.',
  'privacy.programs.plain':
    'Lo que un asistente envía por usted, lo ve él, y también el servicio en el que funciona; nuestro servidor lo ve mientras lo pone bajo llave. Un programa que tiene sus doce palabras puede pedir a nuestro servidor que le abra un caso, pero solo un caso que nuestro servidor puso bajo llave. El servidor ve entonces las palabras y el texto mientras responde, y no anota nada de ello. Lo mismo ve el sistema en el que funciona el propio programa, como el servicio de un asistente de IA.',
  'privacy.programs.events':
    'Un programa que actúa por su cuenta, y no por usted, puede pedirnos que le avisemos cuando pase algo. Le decimos entonces el número de su pedido o de su caso, y nada más. Mientras lo quiera, guardamos junto a cada uno de sus casos de qué programa es, bajo una llave nuestra. Cuando un caso así se borra, su número y el programa quedan, guardados del mismo modo, hasta que se haya avisado al programa; como mucho, {$days :integer} días.',
  'privacy.programs.kept':
    'Para esto guardamos su dirección de correo, bajo una llave nuestra, o una huella de las palabras. Guardamos también qué permitió, a qué programa y cuándo. Puede {#link}ver lo que permitió, y quitar el permiso{/link}, en cualquier momento. El permiso termina por sí solo cuando el programa lleve {$unused :integer} días sin usarlo, a más tardar después de {$days :integer} días y, si inició sesión con palabras, cuando se borre el caso. La dirección de correo la conservamos, para reconocerle cuando vuelva.',
  'privacy.end.means':
    'Borrado quiere decir que primero destruimos la única llave sin la que nadie, ni usted ni nosotros, puede abrir una copia de los registros, y que después quitamos los registros. Donde no podemos sobrescribir esa llave, un rastro de ella puede durar más: en el registro de un servidor de base de datos, en las partes gastadas de un disco. Quien lo encontrara ahí necesitaría además una copia de su caso, y sus palabras o la llave de un investigador.',
  'privacy.end.backups':
    'Hacemos copias de seguridad para emergencias, bajo llave como un caso. Después de borrar un caso, una copia de su llave queda en nuestras copias de seguridad {$span} como máximo. En ese tiempo todavía se podría abrir el caso con una copia de seguridad; después, con ninguna, y si alguna vez tenemos que volver a una copia de seguridad, lo borrado sigue borrado. Un mensaje por nuestro formulario de contacto no tiene una llave así: un investigador todavía podría abrirlo en una copia de seguridad mientras guardemos esa copia, y si tuviéramos que restaurar una, el mensaje volvería a existir hasta el día en que le toca borrarse.',
  'privacy.visit.trackers':
    'En nuestras páginas no hay rastreadores, ni publicidad, ni nada de otros sitios. Cuando usted compra, una cookie anota durante {$hours :integer} horas que el pago empezó en su navegador. Después del pago, otra mantiene abierto el formulario en su navegador, hasta que lo envíe y durante {$days :integer} días como máximo; mientras inicia sesión para que un programa actúe por usted, otras guardan su lugar durante {$minutes :integer} minutos. Si elige un idioma distinto del de su navegador, una cookie con ese idioma y nada más lo recuerda hasta que usted cierre el navegador.',
  'privacy.visit.log':
    'Nuestro registro anota que se pidió una página, con un número al azar, pero no quién: ni dirección de internet, ni navegador, ni nada de lo que escribió. Para evitar abusos contamos en memoria las peticiones por dirección, de una forma irreconocible que cambia cada día, y nunca la guardamos.',
  'privacy.visit.device':
    'Su propio dispositivo sí recuerda las direcciones de las páginas que visitó. La página a la que volvió después de pagar lleva un número que abre el formulario hasta que usted lo haya enviado. Use una ventana privada, o borre el historial, si alguien más puede mirarlo.',
  'privacy.risk.server':
    'Si alguien tomara el control de nuestro servidor, podría enviar a su navegador una página falsa que lea lo que usted escribe mientras lo escribe. Lo que envió antes seguiría bajo llave, salvo que escribiera sus doce palabras en esa página.',
  'privacy.risk.held':
    'Alguien con acceso a nuestro servidor podría retener un mensaje, o quitar uno que nadie ha contestado todavía.',
  'privacy.risk.plain':
    'Sin JavaScript, o mediante un programa que no pone bajo llave ni abre por sí mismo, tiene que confiar en el servidor en el momento de enviar o de leer.',
  'privacy.risk.times':
    'Nuestro servidor ve cuándo llegan un pago y un caso, y Stripe guarda la hora de cada pago. Alguien que vigilara el servidor, o que tuviera los registros de Stripe y los nuestros, podría averiguar cuáles van juntos; en un día tranquilo, pueden bastar nuestros registros.',
  'privacy.risk.mail':
    'Nos enviamos dos clases de correo: una dice solo cuántos casos esperan; la otra, solo que el plazo de un caso está por vencer o ya venció. Quien leyera la segunda podría deducir cuándo llegó un caso, pero no de quién es ni qué dice. Si inicia sesión con una dirección de correo, recibe el mensaje con el camino de vuelta a su formulario, o pide que le avisemos de novedades, su proveedor de correo ve que usted trata con este sitio.',
  'privacy.risk.network':
    'Su proveedor de internet, o quien maneje su red, puede ver que visitó este sitio, aunque no lo que leyó o escribió.',
  'privacy.risk.words':
    'Quien encuentre sus doce palabras, o use su dispositivo mientras su formulario o su caso está abierto en él, para nosotros es usted: no podemos distinguir a esa persona de usted.',
  'privacy.questions.write':
    '{#link}Escríbanos{/link}: su mensaje queda bajo llave como un caso. También puede escribir a {#mail}{$address}{/mail}, pero un correo puede leerse en el camino, así que no ponga en él nada sobre un caso.',
  'privacy.questions.end':
    'Un mensaje que nos envíe se borra como máximo {$done :integer} días después de que lo hayamos atendido, y a más tardar después de {$days :integer} días.',
  'privacy.row.answered': 'Un caso que respondimos',
  'privacy.row.answered.end':
    '{$days :integer} días después de la respuesta, o después de {$longer} días si nos pide guardarlo',
  'privacy.row.declined': 'Un caso que no aceptamos',
  'privacy.row.declined.end': 'Después de {$days :integer} días',
  'privacy.row.withdrawn': 'Un caso que usted retiró',
  'privacy.row.withdrawn.end': 'Después de {$hours :integer} horas',
  'privacy.row.left': 'Lo que queda de un caso borrado',
  'privacy.row.left.end':
    'Conservamos el servicio, el mes y cómo terminó. Después de {$days :integer} días borramos también el día exacto en que se borró y la constancia de que sus palabras eran las de ese caso. La clave de cada investigador que abrió el caso lo recuerda unos {$months :integer} meses, en una forma que no dice nada sin esa clave',
  'privacy.row.news': 'Una dirección de correo para avisos de novedades',
  'privacy.row.news.end':
    'Cuando usted lo diga, o cuando retire o borre el caso; si no, con el último correo, como máximo {$days :integer} días después de borrar el caso',
  'privacy.row.order': 'Un pedido',
  'privacy.row.order.end':
    'Si nunca se pagó, después de {$unpaid :integer} días. Si se pagó, {$days :integer} días después de la compra: lo necesitamos para nuestra contabilidad, así que no se borra con el caso',
  'privacy.row.unused': 'Un pedido que pagó y no usó',
  'privacy.row.unused.end': 'No antes de que lo use o le devolvamos su dinero',
} as const satisfies Readonly<Record<keyof typeof englishPrivacy, string>>;
