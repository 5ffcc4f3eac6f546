/** The texts in German. */
import type { TextCatalogue } from "./en";

export const de: TextCatalogue = {
  "page.skip": "Zum Inhalt springen",
  "field.email": "E-Mail-Adresse",
  "field.password": "Passwort",
  "field.newPassword": "Neues Passwort",
  "field.code": "Code",
  "field.name": "Ihr Name (freiwillig)",
  "field.tenantName": "Name der Organisation (freiwillig)",
  "field.passkeyName": "Name des Passkeys",
  "hint.password": "Mindestens 8 Zeichen. Mehrere ungewöhnliche Wörter ergeben ein gutes Passwort.",
  "hint.newPassword":
    "Mindestens 8 Zeichen. Mehrere ungewöhnliche Wörter ergeben ein gutes Passwort. Alle Ihre Sitzungen werden " +
    "beendet.",
  "hint.tenantName": "Zum Beispiel Ihr Unternehmen oder Ihr Team.",
  "hint.invitedEmail": "Die Adresse, an die die Einladung ging.",
  "hint.passkeyName": "Ein Name, den Sie wiedererkennen, etwa der des Geräts.",
  "hint.totp": "Der sechsstellige Code aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.",
  "hint.mailedCode": "Die sechs Ziffern aus der E-Mail.",
  "signIn.title": "Anmelden",
  "signIn.submit": "Anmelden",
  "signIn.passkey": "Mit einem Passkey anmelden",
  "signIn.orPassword": "Oder mit Ihrem Passwort:",
  "signIn.mailCode": "Code per E-Mail senden",
  "signIn.mailCodeInstead": "Stattdessen einen Code per E-Mail senden",
  "signIn.forgot": "Passwort vergessen?",
  "signIn.newHere": "Neu hier?",
  "signIn.haveAccount": "Sie haben schon ein Konto?",
  "signIn.otherWays": "Weitere Anmeldearten",
  "signIn.provider": "Weiter mit {provider}",
  "signIn.startAgain": "Von vorn beginnen",
  "signIn.factor": "Zwei-Faktor-Code",
  "register.title": "Konto anlegen",
  "register.joinTitle": "Konto anlegen und beitreten",
  "register.submit": "Konto anlegen",
  "register.continueWithPasskey": "Weiter mit einem Passkey",
  "register.passkeyInstead": "Passkey statt Passwort verwenden",
  "register.noPasskeys":
    "An dieser Adresse lassen sich keine Passkeys anlegen. Legen Sie Ihr Konto in der App oder über einen Anbieter an.",
  "register.closedTitle": "Registrierung nur mit Einladung",
  "register.closed":
    "Bitten Sie eine Administratorin oder einen Administrator um eine Einladung. Der Link darin führt zum Formular.",
  "register.passkeyTitle": "Passkey anlegen",
  "register.passkeyText":
    "Ihr Browser bittet Sie, Ihr Gerät zu entsperren oder zu wählen, wo der Passkey gespeichert wird.",
  "verify.title": "E-Mail-Adresse bestätigen",
  "verify.newLink": "Melden Sie sich an, um einen neuen Link zu erhalten.",
  "verify.claim": "Ein Konto mit der Adresse {email} wurde am {time} angelegt.",
  "verify.claimFrom": "Ein Konto mit der Adresse {email} wurde am {time} angelegt, von {place} aus.",
  "verify.confirm": "Wenn Sie das waren, bestätigen Sie, dass die Adresse Ihnen gehört.",
  "verify.plain": "Bestätigen Sie, dass diese Adresse Ihnen gehört.",
  "verify.submit": "E-Mail-Adresse bestätigen",
  "verify.notMeText":
    "Wenn Sie das nicht waren, bestätigen Sie nicht. Alles, was mit Ihrer Adresse eingerichtet wurde, wird " +
    "beendet, und Sie erhalten eine E-Mail mit einem Link, um ein eigenes Passwort festzulegen.",
  "verify.notMe": "Das war ich nicht",
  "forgot.title": "Passwort vergessen?",
  "forgot.sent":
    "Wenn es zu dieser Adresse ein Konto gibt, ist ein Link zum Zurücksetzen unterwegs. Er gilt eine Stunde.",
  "forgot.submit": "Link zum Zurücksetzen senden",
  "forgot.back": "Zurück zur Anmeldung",
  "reset.title": "Neues Passwort festlegen",
  "reset.endCredentials": "Auch meine API-Schlüssel, Passkeys und Anmeldungen über Anbieter beenden",
  "reset.submit": "Passwort festlegen",
  "reset.again": "Neuen Link senden",
  "invitation.title": "Sie sind eingeladen",
  "invitation.invited": "{email} ist eingeladen, „{tenant}“ mit der Rolle {role} beizutreten.",
  "invitation.invitedBy": "{inviter} lädt {email} ein, „{tenant}“ mit der Rolle {role} beizutreten.",
  "invitation.over":
    "Diese Einladung wurde schon verwendet, wurde widerrufen oder ist abgelaufen. Bitten Sie um eine neue.",
  "invitation.join": "Treten Sie mit einem Konto für die Adresse bei, an die die Einladung ging.",
  "invitation.signedInAs": "Sie sind als {email} angemeldet.",
  "invitation.accept": "Einladung annehmen",
  "code.title": "Mit einem Code anmelden",
  "code.text": "Wir senden Ihnen einen sechsstelligen Code per E-Mail. Sie brauchen kein Passwort.",
  "code.withPassword": "Mit Passwort anmelden",
  "code.enterTitle": "Code eingeben",
  "code.sent":
    "Wenn es zu dieser Adresse ein Konto gibt, ist ein Code unterwegs. Er gilt einmal und 10 Minuten lang. In 15 " +
    "Minuten senden wir höchstens drei.",
  "code.another": "Neuen Code senden",
  "onward.title": "Wohin möchten Sie?",
  "onward.close": "Sie können diese Seite schließen oder weitergehen:",
  "onward.signedInAs": "Sie sind als {email} angemeldet.",
  "onward.signOut": "Abmelden",
  "onward.goTo": "Zu {app}",
  "unverified.title": "Sehen Sie in Ihre E-Mails",
  "unverified.text":
    "{app} verlangt eine Adresse, die Ihnen gehört. Wir haben einen Link an {email} geschickt. Öffnen Sie ihn, und " +
    "machen Sie dann hier weiter.",
  "unverified.resend": "Link noch einmal schicken",
  "consent.title": "{app} möchte Sie anmelden",
  "consent.where": "Sie gehen als {email} zu {host}, in der Organisation {tenant}.",
  "consent.notYou": "Das sind nicht Sie?",
  "consent.will": "Die App wird:",
  "consent.allow": "Erlauben",
  "consent.deny": "Ablehnen",
  "consent.privacy": "Datenschutz",
  "consent.terms": "Nutzungsbedingungen",
  "consent.about": "Über die App",
  "consent.openid": "wissen, dass Sie es sind",
  "consent.profile": "Ihren Namen sehen",
  "consent.email": "Ihre E-Mail-Adresse sehen",
  "consent.tenant": "sehen, in welcher Organisation Sie arbeiten und welche Rolle Sie dort haben",
  "consent.continueTo": "Weiter zu {app}",
  "consent.onDevice": "Die App läuft auf diesem Gerät. Fahren Sie nur fort, wenn Sie sie selbst gestartet haben.",
  "consent.continue": "Weiter",
  "consent.thisDevice": "einer App auf diesem Gerät",
  "consent.offline_access": "verbunden bleiben, während Sie weg sind",
  "consent.takenBack": "Sie werden zur App zurückgebracht.",
  "choose.account": "Konto wählen",
  "choose.signInTo": "Bei {app} anmelden",
  "choose.continueAs": "Weiter als {email}",
  "choose.another": "Anderes Konto verwenden",
  "choose.tenant": "Organisation wählen",
  "choose.where": "Wo verwenden Sie {app}?",
  "signOut.title": "Abmelden?",
  "signOut.refused":
    "Die App hat eine Seite genannt, die hier nicht eingetragen ist. Sie werden nicht dorthin geschickt.",
  "signOut.asks": "{app} möchte Sie in diesem Browser abmelden.",
  "signOut.someAppAsks": "Eine App möchte Sie in diesem Browser abmelden.",
  "signOut.done": "Sie sind abgemeldet",
  "signOut.close": "Sie können diese Seite schließen.",
  "signOut.back": "Zurück zu {app}",
  "confirm.title": "Bestätigen Sie, dass Sie es sind",
  "confirm.text": "Dafür ist eine Bestätigung aus den letzten zehn Minuten nötig.",
  "confirm.forApp": "{app} möchte, dass Sie bestätigen, dass Sie {email} sind.",
  "confirm.passkey": "Mit einem Passkey bestätigen",
  "confirm.submit": "Bestätigen",
  "confirm.factorHint": "Aus Ihrer App, oder einer Ihrer Wiederherstellungscodes.",
  "confirm.signInAgain": "Melden Sie sich ab und wieder an, und wiederholen Sie, was Sie gerade taten.",
  "confirm.otherDevice": "Ist Ihr Passkey auf einem anderen Gerät? Wählen Sie dieses Gerät, wenn Ihr Browser fragt.",
  "confirm.elsewhere":
    "Ihre Passkeys funktionieren an dieser Adresse nicht. Öffnen Sie die Konsole an der Adresse, an der Sie " +
    "einen angelegt haben.",
  "passkey.add": "Passkey hinzufügen",
  "passkey.submit": "Passkey hinzufügen",
  "passkey.back": "Zurück",
  "factor.title": "Zwei-Faktor-Authentifizierung einrichten",
  "factor.wants": "{by} verlangt von Ihnen einen zweiten Faktor.",
  "factor.wantsPasskey": "{by} verlangt, dass Sie sich mit einem Passkey anmelden.",
  "factor.setUp": "Authenticator-App einrichten",
  "factor.scan": "1. Scannen Sie diesen Code mit Ihrer Authenticator-App",
  "factor.qrCode": "QR-Code für Ihre Authenticator-App",
  "factor.key": "den Schlüssel",
  "factor.cannotScan": "Sie können ihn nicht scannen? Geben Sie stattdessen diesen Schlüssel ein: {key}",
  "factor.enter": "2. Geben Sie den Code ein, den die App zeigt",
  "factor.code": "6-stelliger Code",
  "factor.turnOn": "Einschalten",
  "factor.cancel": "Abbrechen",
  "factor.on": "Die Zwei-Faktor-Authentifizierung ist eingeschaltet",
  "factor.newCodes": "Wiederherstellungscodes",
  "factor.codes": "Ihre Wiederherstellungscodes",
  "factor.codesText":
    "Jeder meldet Sie einmal an, wenn Sie Ihr Telefon verlieren. Bewahren Sie sie bei Ihren Passwörtern auf: " +
    "Sie werden nicht noch einmal gezeigt. Ältere Codes gelten nicht mehr.",
  "factor.download": "Herunterladen",
  "factor.done": "Fertig",
  "copy.label": "{what} kopieren",
  "copy.submit": "Kopieren",
  "apps.title": "Verbundene Apps",
  "apps.none": "Mit Ihrem Konto ist keine App verbunden.",
  "apps.since": "In {tenant}, seit {time}",
  "apps.disconnect": "Trennen",
  "apps.disconnectOne": "{app} trennen",
  "page.error": "Etwas ist schiefgegangen",
  "page.noAccess": "Kein Zugang",
  "page.notAllowed": "Nicht erlaubt",
  "page.notFound": "Nicht gefunden",
  "page.tooMany": "Zu viele Anfragen",
  "page.request": "Anfrage {id}",
  "notMe.password": "Das neue Passwort wird ungültig.",
  "notMe.email": "Ihr Konto behält seine E-Mail-Adresse oder bekommt sie zurück. Ihr Passwort wird ungültig.",
  "notMe.twoFactorOn": "Die Zwei-Faktor-Authentifizierung wird wieder ausgeschaltet.",
  "notMe.twoFactorOff": "Die Zwei-Faktor-Authentifizierung wird wieder eingeschaltet, wie sie war.",
  "notMe.recoveryCodes": "Ihre bisherigen Wiederherstellungscodes gelten wieder.",
  "notMe.passkey": "Der neue Passkey wird entfernt.",
  "notMe.identity": "Die neue Anmeldung mit einem Anbieter wird entfernt.",
  "notMe.apiKey": "Der neue API-Schlüssel wird widerrufen.",
  "notMe.app": "Die App wird getrennt, und alle anderen auch.",
  "notMe.signIn": "Ihr Passwort wird ungültig, und der Passkey oder Anbieter wird entfernt, falls einer benutzt wurde.",
  "notMe.apiKeys": "Alle Ihre API-Schlüssel werden widerrufen.",
  "notMe.reclaim":
    "Das Passwort des Kontos wird ungültig. Seine Sitzungen, Passkeys, Anmeldungen mit Anbietern, API-Schlüssel, " +
    "Einladungen und sein zweiter Faktor enden.",
  "notMe.reclaimedTenants":
    "Es verlässt die Organisationen, die es angelegt hat, und deren Abonnements werden ausgeschaltet.",
  "notMe.reclaimedMail": "Sie erhalten eine E-Mail mit einem Link, um ein eigenes Passwort festzulegen.",
  "notMe.sessions": "Alle Ihre Sitzungen und API-Schlüssel enden.",
  "notMe.undone":
    "Was seitdem mit Ihrem Konto in seinen Organisationen getan wurde, wird zurückgenommen: Einladungen enden, " +
    "wer damit beigetreten ist, geht, Mitglieder bekommen ihre früheren Rollen zurück, Abonnements halten an, " +
    "und neue API-Schlüssel von Organisationen und neue Quellen enden.",
  "notMe.mail":
    "Sie erhalten eine E-Mail, die aufzählt, was zurückgenommen wurde, mit einem Link für ein neues Passwort.",
  "notMe.revokeKeys": "Alle API-Schlüssel widerrufen",
  "notMe.over": "Der Link wirkt einmal, 72 Stunden lang. Sie können stattdessen {reset}.",
  "notMe.reset": "Ihr Passwort zurücksetzen",
  "notMe.done.undone":
    "Zurückgenommen. Alle Sitzungen und API-Schlüssel sind beendet, und ein Link für ein neues Passwort ist " +
    "unterwegs.",
  "notMe.done.undoneWithoutFactor":
    "Zurückgenommen, nur bleibt die Zwei-Faktor-Authentifizierung aus. Alle Sitzungen und API-Schlüssel sind " +
    "beendet, und ein Link für ein neues Passwort ist unterwegs.",
  "notMe.done.apiKeys": "Alle API-Schlüssel sind widerrufen.",
  "notMe.done.reclaimed":
    "Alles, was mit Ihrer Adresse eingerichtet wurde, ist beendet, und ein Link für ein neues Passwort ist " +
    "unterwegs.",
  "lostFactor.title": "Verlorenen zweiten Faktor entfernen",
  "lostFactor.off":
    "Die Zwei-Faktor-Authentifizierung Ihres Kontos wird ausgeschaltet, und seine Wiederherstellungscodes gelten " +
    "nicht mehr.",
  "lostFactor.sessions": "Alle Ihre Sitzungen enden.",
  "lostFactor.ignore": "Wenn Sie das nicht verlangt haben, schließen Sie diese Seite: Nichts ändert sich.",
  "lostFactor.submit": "Entfernen",
  "lostFactor.over": "Der Link wirkt einmal, 24 Stunden lang. Bitten Sie den Betreiber dieses Dienstes um einen neuen.",
  "lostFactor.done": "Die Zwei-Faktor-Authentifizierung ist aus, und alle Ihre Sitzungen sind beendet.",
  "lostFactor.signIn": "{signIn} und unter „My security“ wieder einrichten.",
  "newEmail.title": "Neue Adresse bestätigen",
  "newEmail.signInFirst":
    "{signIn}, zuerst mit Ihrer jetzigen Adresse. Wenn Sie keine andere Adresse verlangt haben, schließen Sie " +
    "diese Seite: Nichts ändert sich.",
  "newEmail.text":
    "Sie sind als {email} angemeldet. Ab jetzt hat dieses Konto die Adresse, an die der Link ging, und Sie " +
    "melden sich damit an. Andere Links, die wir Ihnen geschickt haben, enden.",
  "newEmail.submit": "Neue Adresse verwenden",
  "link.another": "Auf andere Weise anmelden",
  "link.title": "Ist das Ihr Konto?",
  "link.text":
    "{email} hat hier ein Konto, das noch nie mit {provider} benutzt wurde. Wir können einen Code an diese " +
    "Adresse schicken. Wenn Sie ihn eingeben, öffnet {provider} ab jetzt das Konto, und seine anderen Sitzungen " +
    "enden.",
  "link.sent":
    "Ein Code ist unterwegs an {email}. Geben Sie ihn innerhalb von fünf Minuten nach Ihrer Anmeldung mit " +
    "{provider} ein.",
  "link.signIn": "Mit {provider} anmelden",
  "link.failed": "Die Anmeldung hat nicht geklappt",
  "error.UNAUTHENTICATED": "Die E-Mail-Adresse oder das Passwort ist falsch.",
  "error.VALIDATION_FAILED": "Bitte korrigieren Sie die markierten Felder.",
  "error.INVALID_TOKEN": "Der Link ist ungültig oder abgelaufen.",
  "error.TOKEN_EXPIRED": "Der Link ist abgelaufen.",
  "error.INVALID_TOTP": "Der Code ist falsch.",
  "error.INVALID_CODE": "Der Code ist falsch oder abgelaufen.",
  "error.EMAIL_NOT_VERIFIED":
    "Bestätigen Sie Ihre E-Mail-Adresse, bevor Sie sich anmelden. Den Link finden Sie in Ihren E-Mails.",
  "error.CAPTCHA_REQUIRED": "Bestätigen Sie, dass Sie ein Mensch sind.",
  "error.NO_TENANT": "Sie gehören zu keiner Organisation. Bitten Sie um eine Einladung.",
  "error.EMAIL_TAKEN": "Zu dieser E-Mail-Adresse gibt es schon ein Konto.",
  "error.ACCOUNT_LOCKED": "Das Konto ist gesperrt. Versuchen Sie es später noch einmal.",
  "error.RATE_LIMITED": "Zu viele Anfragen. Versuchen Sie es später noch einmal.",
  "error.SERVICE_UNAVAILABLE": "Vorübergehend nicht verfügbar. Versuchen Sie es später noch einmal.",
  "flash.signInAgain": "Bitte melden Sie sich noch einmal an.",
  "flash.codeExpired": "Ihr Code ist abgelaufen. Fordern Sie einen neuen an.",
  "flash.signedOut": "Sie sind abgemeldet.",
  "flash.signedOutEverywhere": "Sie sind überall abgemeldet.",
  "flash.appDisconnected": "Die App ist getrennt.",
  "flash.welcome": "Willkommen. Ihr Konto ist bereit.",
  "flash.joinedHere": "Sie sind beigetreten.",
  "flash.emailChanged": "Ihre E-Mail-Adresse ist geändert.",
  "flash.verificationSent": "Die E-Mail zur Bestätigung ist verschickt.",
  "flash.verified": "Ihre E-Mail-Adresse ist bestätigt.",
  "flash.passwordReset": "Ihr Passwort ist festgelegt. Melden Sie sich mit dem neuen Passwort an.",
  "mail.hello": "Guten Tag,",
  "mail.helloName": "Guten Tag, {name},",
  "mail.verify.created":
    "Ein Konto mit dieser E-Mail-Adresse wurde angelegt: am {time}{place}{means}. Wenn Sie das waren, bestätigen " +
    "Sie bitte die Adresse. Der Link gilt 24 Stunden.",
  "mail.verify.place": ", von {place} aus",
  "mail.verify.byProvider": ", durch eine Anmeldung mit {provider}",
  "mail.verify.byPasskey": ", mit einem Passkey",
  "mail.verify.addProvider":
    "Melden Sie sich danach mit einem Code an oder legen Sie ein Passwort fest, und fügen Sie {provider} dann " +
    "wieder hinzu.",
  "mail.code.asked": "Er wurde mit {device} angefordert{place}{address}.",
  "mail.code.place": ", in oder bei {location}",
  "mail.code.address": ", von der IP-Adresse {ipAddress} aus",
  "mail.verify.subject": "Bestätigen Sie Ihre E-Mail-Adresse",
  "mail.verify.losesPasskey":
    "Öffnen Sie den Link in dem Browser, in dem Sie sich registriert haben: Dann behalten Sie Ihren Passkey. In " +
    "einem anderen Browser wird er entfernt. Sie können sich dann mit einem Code anmelden und einen neuen " +
    "hinzufügen.",
  "mail.verify.link": "E-Mail-Adresse bestätigen",
  "mail.verify.notMe":
    "Wenn Sie das nicht waren, bestätigen Sie nicht. Öffnen Sie den Link und wählen Sie „Das war ich nicht“, oder " +
    "ignorieren Sie diese E-Mail.",
  "mail.reset.subject": "Passwort zurücksetzen",
  "mail.reset.text":
    "Jemand möchte das Passwort Ihres Kontos zurücksetzen. Der Link gilt einmal, innerhalb einer Stunde.",
  "mail.reset.link": "Passwort zurücksetzen",
  "mail.reset.ignore": "Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren. Ihr Passwort bleibt, wie es ist.",
  "mail.code.subject": "Ihr Anmeldecode",
  "mail.code.text":
    "Ihr Code ist {code}. Er gilt einmal, 10 Minuten lang, und nur in dem Browser oder der App, in der Sie ihn " +
    "angefordert haben.",
  "mail.code.unverified":
    "Diese Adresse wurde noch nicht bestätigt, also kann jemand anderes das Konto angelegt haben. Eine Anmeldung " +
    "mit dem Code macht das Passwort ungültig und beendet alles, was bisher eingerichtet wurde. Wenn Sie das Konto " +
    "selbst angelegt haben, bestätigen Sie zuerst die Adresse mit dem Link, den wir Ihnen gesendet haben.",
  "mail.code.warning":
    "Geben Sie den Code niemandem, und geben Sie ihn nur auf der Seite ein, auf der Sie ihn angefordert haben. Wir " +
    "fragen nie danach. Wenn Sie ihn nicht angefordert haben, war es jemand anderes: Wer den Code von Ihnen " +
    "bekommt, ist in Ihrem Konto angemeldet. Sie können diese E-Mail ignorieren.",
  "mail.newEmail.subject": "Bestätigen Sie Ihre neue E-Mail-Adresse",
  "mail.newEmail.text":
    "Jemand, der als {email} angemeldet ist, möchte diese E-Mail-Adresse für jenes Konto verwenden. Wenn Sie das " +
    "waren, bestätigen Sie sie, während Sie angemeldet sind. Der Link gilt einmal, innerhalb von 24 Stunden.",
  "mail.newEmail.link": "Diese Adresse verwenden",
  "mail.newEmail.ignore": "Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Es ändert sich nichts.",
  "mail.emailTaken.subject": "Diese E-Mail-Adresse kann nicht verwendet werden",
  "mail.emailTaken.text":
    "Jemand, der als {email} angemeldet ist, möchte diese E-Mail-Adresse für jenes Konto verwenden. Sie kann für " +
    "kein weiteres Konto verwendet werden, weil sie schon ein Konto hat oder reserviert ist. Es ändert sich nichts.",
  "mail.emailTaken.ignore": "Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren.",
  "mail.invitation.subject": "Sie sind eingeladen",
  "mail.invitation.text":
    "Sie sind eingeladen, {tenant} mit der Rolle {role} beizutreten. Der Link gilt einmal, innerhalb von 7 Tagen.",
  "mail.invitation.textBy":
    "{inviter} lädt Sie ein, {tenant} mit der Rolle {role} beizutreten. Der Link gilt einmal, innerhalb von 7 Tagen.",
  "mail.invitation.link": "Einladung annehmen",
  "mail.invitation.ignore": "Wenn Sie das nicht erwartet haben, können Sie diese E-Mail ignorieren.",
};
