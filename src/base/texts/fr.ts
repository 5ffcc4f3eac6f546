/** The texts in French. */
import type { TextCatalogue } from "./en";

export const fr: TextCatalogue = {
  "page.skip": "Aller au contenu",
  "field.email": "Adresse e-mail",
  "field.password": "Mot de passe",
  "field.newPassword": "Nouveau mot de passe",
  "field.code": "Code",
  "field.name": "Votre nom (facultatif)",
  "field.tenantName": "Nom de l’organisation (facultatif)",
  "field.passkeyName": "Nom de la clé d’accès",
  "hint.password": "Au moins 8 caractères. Plusieurs mots inhabituels font un bon mot de passe.",
  "hint.newPassword":
    "Au moins 8 caractères. Plusieurs mots inhabituels font un bon mot de passe. Toutes vos sessions prendront fin.",
  "hint.tenantName": "Par exemple, votre entreprise ou votre équipe.",
  "hint.invitedEmail": "L’adresse à laquelle l’invitation a été envoyée.",
  "hint.passkeyName": "Un nom que vous reconnaîtrez, par exemple celui de l’appareil.",
  "hint.totp": "Le code à 6 chiffres de votre application d’authentification, ou l’un de vos codes de secours.",
  "hint.mailedCode": "Les six chiffres de l’e-mail.",
  "signIn.title": "Se connecter",
  "signIn.submit": "Se connecter",
  "signIn.passkey": "Se connecter avec une clé d’accès",
  "signIn.orPassword": "Ou avec votre mot de passe :",
  "signIn.mailCode": "M’envoyer un code par e-mail",
  "signIn.mailCodeInstead": "M’envoyer plutôt un code par e-mail",
  "signIn.forgot": "Mot de passe oublié ?",
  "signIn.newHere": "Nouveau ici ?",
  "signIn.haveAccount": "Vous avez déjà un compte ?",
  "signIn.otherWays": "Autres façons de se connecter",
  "signIn.provider": "Continuer avec {provider}",
  "signIn.startAgain": "Recommencer",
  "signIn.factor": "Code de vérification",
  "register.title": "Créer un compte",
  "register.joinTitle": "Créer un compte et rejoindre",
  "register.submit": "Créer le compte",
  "register.continueWithPasskey": "Continuer avec une clé d’accès",
  "register.passkeyInstead": "Utiliser une clé d’accès au lieu d’un mot de passe",
  "register.noPasskeys":
    "Il n’est pas possible de créer des clés d’accès à cette adresse. Créez votre compte dans l’application, ou " +
    "avec un fournisseur.",
  "register.closedTitle": "Inscription sur invitation",
  "register.closed": "Demandez une invitation à un administrateur. Le lien qu’elle contient mène au formulaire.",
  "register.passkeyTitle": "Créer votre clé d’accès",
  "register.passkeyText":
    "Votre navigateur vous demandera de déverrouiller votre appareil, ou de choisir où conserver la clé d’accès.",
  "verify.title": "Confirmer votre adresse e-mail",
  "verify.newLink": "Connectez-vous pour recevoir un nouveau lien.",
  "verify.claim": "Un compte avec l’adresse {email} a été créé le {time}.",
  "verify.claimFrom": "Un compte avec l’adresse {email} a été créé le {time}, depuis {place}.",
  "verify.confirm": "Si c’était vous, confirmez que l’adresse est la vôtre.",
  "verify.plain": "Confirmez que cette adresse est la vôtre.",
  "verify.submit": "Confirmer l’adresse",
  "verify.notMeText":
    "Si ce n’était pas vous, ne confirmez pas. Tout ce qui a été mis en place avec votre adresse prend fin, et " +
    "vous recevez un e-mail avec un lien pour choisir votre propre mot de passe.",
  "verify.notMe": "Ce n’était pas moi",
  "forgot.title": "Mot de passe oublié ?",
  "forgot.sent":
    "S’il existe un compte pour cette adresse, un lien de réinitialisation a été envoyé. Il est valable une heure.",
  "forgot.submit": "Envoyer un lien de réinitialisation",
  "forgot.back": "Retour à la connexion",
  "reset.title": "Choisir un nouveau mot de passe",
  "reset.endCredentials": "Mettre fin aussi à mes clés d’API, clés d’accès et connexions avec des fournisseurs",
  "reset.submit": "Choisir le mot de passe",
  "reset.again": "Envoyer un autre lien",
  "invitation.title": "Vous êtes invité",
  "invitation.invited": "{email} est invité à rejoindre « {tenant} » avec le rôle {role}.",
  "invitation.invitedBy": "{inviter} invite {email} à rejoindre « {tenant} » avec le rôle {role}.",
  "invitation.over": "Cette invitation a été utilisée, a été révoquée ou a expiré. Demandez-en une autre.",
  "invitation.join": "Rejoignez avec un compte pour l’adresse à laquelle l’invitation a été envoyée.",
  "invitation.signedInAs": "Vous êtes connecté en tant que {email}.",
  "invitation.accept": "Accepter l’invitation",
  "code.title": "Se connecter avec un code",
  "code.text": "Nous vous envoyons un code à six chiffres par e-mail. Aucun mot de passe n’est nécessaire.",
  "code.withPassword": "Se connecter avec un mot de passe",
  "code.enterTitle": "Saisir le code",
  "code.sent":
    "S’il existe un compte pour cette adresse, un code a été envoyé. Il fonctionne une fois, pendant 10 minutes. " +
    "Nous en envoyons au plus trois en 15 minutes.",
  "code.another": "Envoyer un autre code",
  "onward.title": "Où voulez-vous aller ?",
  "onward.close": "Vous pouvez fermer cette page, ou continuer :",
  "onward.signedInAs": "Vous êtes connecté en tant que {email}.",
  "onward.signOut": "Se déconnecter",
  "onward.goTo": "Aller à {app}",
  "unverified.title": "Consultez vos e-mails",
  "unverified.text":
    "{app} demande une adresse qui est la vôtre. Nous avons envoyé un lien à {email}. Ouvrez-le, puis continuez ici.",
  "unverified.resend": "Renvoyer le lien",
  "consent.title": "{app} souhaite vous connecter",
  "consent.where": "Vous allez sur {host} en tant que {email}, dans l’organisation {tenant}.",
  "consent.notYou": "Ce n’est pas vous ?",
  "consent.will": "L’application va :",
  "consent.allow": "Autoriser",
  "consent.deny": "Refuser",
  "consent.privacy": "Confidentialité",
  "consent.terms": "Conditions d’utilisation",
  "consent.about": "À propos de l’application",
  "consent.openid": "savoir que c’est vous",
  "consent.profile": "voir votre nom",
  "consent.email": "voir votre adresse e-mail",
  "consent.tenant": "voir dans quelle organisation vous travaillez et votre rôle",
  "consent.continueTo": "Continuer vers {app}",
  "consent.onDevice": "L’application s’exécute sur cet appareil. Ne continuez que si vous l’avez lancée vous-même.",
  "consent.continue": "Continuer",
  "consent.thisDevice": "une application de cet appareil",
  "consent.offline_access": "rester connectée en votre absence",
  "consent.takenBack": "Vous revenez à l’application.",
  "choose.account": "Choisir un compte",
  "choose.signInTo": "Se connecter à {app}",
  "choose.continueAs": "Continuer en tant que {email}",
  "choose.another": "Utiliser un autre compte",
  "choose.tenant": "Choisir une organisation",
  "choose.where": "Où utilisez-vous {app} ?",
  "signOut.title": "Se déconnecter ?",
  "signOut.refused": "L’application a indiqué une page qui n’est pas enregistrée ici. Vous n’y êtes pas envoyé.",
  "signOut.asks": "{app} souhaite vous déconnecter de ce navigateur.",
  "signOut.someAppAsks": "Une application souhaite vous déconnecter de ce navigateur.",
  "signOut.done": "Vous êtes déconnecté",
  "signOut.close": "Vous pouvez fermer cette page.",
  "signOut.back": "Retour à {app}",
  "confirm.title": "Confirmez que c’est bien vous",
  "confirm.text": "Une confirmation des dix dernières minutes est nécessaire.",
  "confirm.forApp": "{app} vous demande de confirmer que vous êtes {email}.",
  "confirm.passkey": "Confirmer avec une clé d’accès",
  "confirm.submit": "Confirmer",
  "confirm.factorHint": "De votre application, ou l’un de vos codes de récupération.",
  "confirm.signInAgain": "Déconnectez-vous, reconnectez-vous, puis recommencez.",
  "confirm.otherDevice":
    "Votre clé d’accès est sur un autre appareil ? Choisissez-le quand votre navigateur le demande.",
  "confirm.elsewhere":
    "Vos clés d’accès ne fonctionnent pas à cette adresse. Ouvrez la console à l’adresse où vous en avez " +
    "ajouté une.",
  "passkey.add": "Ajouter une clé d’accès",
  "passkey.submit": "Ajouter la clé d’accès",
  "passkey.back": "Retour",
  "factor.title": "Configurer l’authentification à deux facteurs",
  "factor.wants": "{by} exige de vous un second facteur.",
  "factor.wantsPasskey": "{by} exige que vous vous connectiez avec une clé d’accès.",
  "factor.setUp": "Configurer une application d’authentification",
  "factor.scan": "1. Scannez ce code avec votre application d’authentification",
  "factor.qrCode": "Code QR pour votre application d’authentification",
  "factor.key": "la clé",
  "factor.cannotScan": "Vous ne pouvez pas le scanner ? Saisissez plutôt cette clé : {key}",
  "factor.enter": "2. Saisissez le code que l’application affiche",
  "factor.code": "Code à 6 chiffres",
  "factor.turnOn": "Activer",
  "factor.cancel": "Annuler",
  "factor.on": "L’authentification à deux facteurs est activée",
  "factor.newCodes": "Codes de récupération",
  "factor.codes": "Vos codes de récupération",
  "factor.codesText":
    "Chacun vous connecte une fois si vous perdez votre téléphone. Gardez-les avec vos mots de passe : ils ne " +
    "seront plus affichés. Les anciens codes ne sont plus valables.",
  "factor.download": "Télécharger",
  "factor.done": "Terminé",
  "copy.label": "Copier {what}",
  "copy.submit": "Copier",
  "apps.title": "Applications connectées",
  "apps.none": "Aucune application n’est connectée à votre compte.",
  "apps.since": "Dans {tenant}, depuis {time}",
  "apps.disconnect": "Déconnecter",
  "apps.disconnectOne": "Déconnecter {app}",
  "page.error": "Une erreur est survenue",
  "page.noAccess": "Pas d’accès",
  "page.notAllowed": "Non autorisé",
  "page.notFound": "Introuvable",
  "page.tooMany": "Trop de requêtes",
  "page.request": "Requête {id}",
  "notMe.password": "Le nouveau mot de passe devient invalide.",
  "notMe.email": "Votre compte garde son adresse e-mail, ou la retrouve. Votre mot de passe devient invalide.",
  "notMe.twoFactorOn": "L’authentification à deux facteurs est de nouveau désactivée.",
  "notMe.twoFactorOff": "L’authentification à deux facteurs est de nouveau activée, comme avant.",
  "notMe.recoveryCodes": "Vos codes de récupération précédents redeviennent valables.",
  "notMe.passkey": "La nouvelle clé d’accès est supprimée.",
  "notMe.identity": "La nouvelle connexion avec un fournisseur est supprimée.",
  "notMe.apiKey": "La nouvelle clé d’API est révoquée.",
  "notMe.app": "L’application est déconnectée, ainsi que toutes les autres.",
  "notMe.signIn":
    "Votre mot de passe devient invalide, et la clé d’accès ou le fournisseur utilisé, le cas échéant, est " +
    "supprimé.",
  "notMe.apiKeys": "Toutes vos clés d’API sont révoquées.",
  "notMe.reclaim":
    "Le mot de passe du compte devient invalide. Ses sessions, clés d’accès, connexions avec des fournisseurs, " +
    "clés d’API, invitations et son second facteur prennent fin.",
  "notMe.reclaimedTenants": "Il quitte les organisations qu’il a créées, et leurs abonnements sont désactivés.",
  "notMe.reclaimedMail": "Vous recevez un e-mail avec un lien pour choisir votre propre mot de passe.",
  "notMe.sessions": "Toutes vos sessions et clés d’API prennent fin.",
  "notMe.undone":
    "Ce qui a été fait depuis avec votre compte dans ses organisations est annulé : les invitations prennent " +
    "fin, ceux qui les ont acceptées partent, les membres retrouvent leurs anciens rôles, les abonnements sont " +
    "suspendus, et les nouvelles clés d’API des organisations et les nouvelles sources prennent fin.",
  "notMe.mail":
    "Vous recevez un e-mail qui énumère ce qui a été annulé, avec un lien pour choisir un nouveau mot de passe.",
  "notMe.revokeKeys": "Révoquer toutes les clés d’API",
  "notMe.over": "Le lien fonctionne une fois, pendant 72 heures. Vous pouvez à la place {reset}.",
  "notMe.reset": "réinitialiser votre mot de passe",
  "notMe.done.undone":
    "Annulé. Toutes les sessions et clés d’API ont pris fin, et un lien de réinitialisation a été envoyé.",
  "notMe.done.undoneWithoutFactor":
    "Annulé, mais l’authentification à deux facteurs reste désactivée. Toutes les sessions et clés d’API ont " +
    "pris fin, et un lien de réinitialisation a été envoyé.",
  "notMe.done.apiKeys": "Toutes les clés d’API ont été révoquées.",
  "notMe.done.reclaimed":
    "Tout ce qui était configuré avec votre adresse a pris fin, et un lien de réinitialisation a été envoyé.",
  "lostFactor.title": "Supprimer le second facteur perdu",
  "lostFactor.off":
    "L’authentification à deux facteurs est désactivée pour votre compte, et ses codes de récupération ne " +
    "fonctionnent plus.",
  "lostFactor.sessions": "Toutes vos sessions prennent fin.",
  "lostFactor.ignore": "Si vous n’avez pas demandé cela, fermez cette page : rien ne change.",
  "lostFactor.submit": "Supprimer",
  "lostFactor.over":
    "Le lien fonctionne une fois, pendant 24 heures. Demandez-en un autre à l’opérateur de ce service.",
  "lostFactor.done": "L’authentification à deux facteurs est désactivée, et toutes vos sessions ont pris fin.",
  "lostFactor.signIn": "{signIn}, puis configurez-la de nouveau sous « My security ».",
  "newEmail.title": "Confirmer votre nouvelle adresse",
  "newEmail.signInFirst":
    "{signIn} d’abord avec votre adresse actuelle. Si vous n’avez pas demandé une autre adresse, fermez cette " +
    "page : rien ne change.",
  "newEmail.text":
    "Vous êtes connecté en tant que {email}. Désormais, ce compte a l’adresse à laquelle le lien a été envoyé, " +
    "et vous vous connectez avec elle. Les autres liens que nous vous avons envoyés prennent fin.",
  "newEmail.submit": "Utiliser la nouvelle adresse",
  "link.another": "Se connecter d’une autre façon",
  "link.title": "Ce compte est-il le vôtre ?",
  "link.text":
    "{email} a ici un compte qui n’a jamais été utilisé avec {provider}. Nous pouvons envoyer un code à cette " +
    "adresse. Quand vous le saisissez, {provider} ouvre désormais le compte, et ses autres sessions prennent " +
    "fin.",
  "link.sent":
    "Un code est en route vers {email}. Saisissez-le dans les cinq minutes qui suivent votre connexion avec " +
    "{provider}.",
  "link.signIn": "Se connecter avec {provider}",
  "link.failed": "La connexion n’a pas fonctionné",
  "error.UNAUTHENTICATED": "L’adresse e-mail ou le mot de passe est incorrect.",
  "error.VALIDATION_FAILED": "Veuillez corriger les champs indiqués.",
  "error.INVALID_TOKEN": "Le lien n’est pas valable ou a expiré.",
  "error.TOKEN_EXPIRED": "Le lien a expiré.",
  "error.INVALID_TOTP": "Le code est incorrect.",
  "error.INVALID_CODE": "Le code est incorrect ou a expiré.",
  "error.EMAIL_NOT_VERIFIED":
    "Confirmez votre adresse e-mail avant de vous connecter. Le lien se trouve dans vos e-mails.",
  "error.CAPTCHA_REQUIRED": "Confirmez que vous êtes humain.",
  "error.NO_TENANT": "Vous n’êtes membre d’aucune organisation. Demandez une invitation.",
  "error.EMAIL_TAKEN": "Un compte existe déjà avec cette adresse e-mail.",
  "error.ACCOUNT_LOCKED": "Le compte est bloqué. Réessayez plus tard.",
  "error.RATE_LIMITED": "Trop de requêtes. Réessayez plus tard.",
  "error.SERVICE_UNAVAILABLE": "Temporairement indisponible. Réessayez plus tard.",
  "flash.signInAgain": "Veuillez vous reconnecter.",
  "flash.codeExpired": "Votre code a expiré. Demandez-en un autre.",
  "flash.signedOut": "Vous êtes déconnecté.",
  "flash.signedOutEverywhere": "Vous êtes déconnecté partout.",
  "flash.appDisconnected": "L’application est déconnectée.",
  "flash.welcome": "Bienvenue. Votre compte est prêt.",
  "flash.joinedHere": "Vous avez rejoint l’organisation.",
  "flash.emailChanged": "Votre adresse e-mail est modifiée.",
  "flash.verificationSent": "L’e-mail de vérification est envoyé.",
  "flash.verified": "Votre adresse e-mail est confirmée.",
  "flash.passwordReset": "Votre mot de passe est enregistré. Connectez-vous avec le nouveau mot de passe.",
  "mail.hello": "Bonjour,",
  "mail.helloName": "Bonjour {name},",
  "mail.verify.created":
    "Un compte a été créé avec cette adresse e-mail le {time}{place}{means}. Si c’était vous, veuillez confirmer " +
    "l’adresse. Le lien est valable 24 heures.",
  "mail.verify.place": ", depuis {place}",
  "mail.verify.byProvider": ", par une connexion avec {provider}",
  "mail.verify.byPasskey": ", avec une clé d’accès",
  "mail.verify.addProvider":
    "Ensuite, connectez-vous avec un code ou choisissez un mot de passe, puis ajoutez de nouveau {provider}.",
  "mail.code.asked": "Il a été demandé avec {device}{place}{address}.",
  "mail.code.place": ", à {location} ou à proximité",
  "mail.code.address": ", depuis l’adresse IP {ipAddress}",
  "mail.verify.subject": "Confirmez votre adresse e-mail",
  "mail.verify.losesPasskey":
    "Ouvrez le lien dans le navigateur où vous vous êtes inscrit : il conserve votre clé d’accès. Dans un autre " +
    "navigateur, elle est supprimée. Vous pouvez alors vous connecter avec un code et en ajouter une nouvelle.",
  "mail.verify.link": "Confirmer l’adresse",
  "mail.verify.notMe":
    "Si ce n’était pas vous, ne confirmez pas. Ouvrez le lien et choisissez « Ce n’était pas moi », ou ignorez cet " +
    "e-mail.",
  "mail.reset.subject": "Réinitialiser votre mot de passe",
  "mail.reset.text":
    "Quelqu’un a demandé à réinitialiser le mot de passe de votre compte. Le lien fonctionne une fois, pendant une " +
    "heure.",
  "mail.reset.link": "Réinitialiser le mot de passe",
  "mail.reset.ignore": "Si ce n’était pas vous, vous pouvez ignorer cet e-mail. Votre mot de passe reste le même.",
  "mail.code.subject": "Votre code de connexion",
  "mail.code.text":
    "Votre code est {code}. Il fonctionne une fois, pendant 10 minutes, et seulement dans le navigateur ou " +
    "l’application où vous l’avez demandé.",
  "mail.code.unverified":
    "Cette adresse n’a pas été confirmée : quelqu’un d’autre a pu créer le compte. Se connecter avec le code " +
    "invalide son mot de passe et met fin à tout ce qui a été mis en place jusqu’ici. Si vous avez créé le compte " +
    "vous-même, confirmez d’abord l’adresse avec le lien que nous vous avons envoyé.",
  "mail.code.warning":
    "Ne donnez le code à personne, et ne le saisissez que sur la page où vous l’avez demandé. Nous ne le demandons " +
    "jamais. Si vous ne l’avez pas demandé, quelqu’un d’autre l’a fait : la personne à qui vous le donnez est " +
    "connectée à votre compte. Vous pouvez ignorer cet e-mail.",
  "mail.newEmail.subject": "Confirmez votre nouvelle adresse e-mail",
  "mail.newEmail.text":
    "Quelqu’un qui est connecté en tant que {email} a demandé à utiliser cette adresse e-mail pour ce compte. Si " +
    "c’était vous, confirmez-la pendant que vous êtes connecté. Le lien fonctionne une fois, pendant 24 heures.",
  "mail.newEmail.link": "Utiliser cette adresse",
  "mail.newEmail.ignore": "Si ce n’était pas vous, vous pouvez ignorer cet e-mail : rien ne change.",
  "mail.emailTaken.subject": "Cette adresse e-mail ne peut pas être utilisée",
  "mail.emailTaken.text":
    "Quelqu’un qui est connecté en tant que {email} a demandé à utiliser cette adresse e-mail pour ce compte. Elle " +
    "ne peut pas servir à un autre compte, car elle en a déjà un ou est réservée. Rien ne change.",
  "mail.emailTaken.ignore": "Si ce n’était pas vous, vous pouvez ignorer cet e-mail.",
  "mail.invitation.subject": "Vous êtes invité",
  "mail.invitation.text":
    "Vous êtes invité à rejoindre {tenant} avec le rôle {role}. Le lien fonctionne une fois, pendant 7 jours.",
  "mail.invitation.textBy":
    "{inviter} vous invite à rejoindre {tenant} avec le rôle {role}. Le lien fonctionne une fois, pendant 7 jours.",
  "mail.invitation.link": "Accepter l’invitation",
  "mail.invitation.ignore": "Si vous ne vous y attendiez pas, vous pouvez ignorer cet e-mail.",
};
