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
