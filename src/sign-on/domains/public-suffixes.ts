/**
 * Domains that belong to nobody in particular, such as `co.uk`: of the Public Suffix List (publicsuffix.org, as in
 * `psl` 1.15.0), its rules of registries with two labels whose first one stands below two top-level domains or more,
 * and those for all names below one. They take 2 KiB of the Worker after gzip; the whole list would take 35. What is
 * left out, such as the cities of Japan, only a registry could prove anyway.
 */

/** Below each label, the top-level domains: `label tld tld/label tld`. */
const SUFFIXES =
  "a bg se/ac ae at be ci cn cr cy eg fj gn id il im in ir jp ke kr lk ls ma me mu mw mz ni nz pa pk " +
  "pr rs rw se sz th tj tz ug uk vn za zm zw/adv br mz/agro bj bo pl/ah cn no/ai in jo vn/al it no us/" +
  "alt na za/am br in/ar it us/art br do dz ht sn/arts nf ro ve/asn au lv/asso ci dz fr gp ht km mc nc " +
  "re/av it tr/b bg br se/bet ar br/bib br ve/biz az bb cy et fj id in ki ls mv mw my ni nr pk pl pr " +
  "ss tj tr tt vn zm/blog bo br/c bg se/ca in it us/club aero tw/cn in it ua/co ae ag am ao at bb bi " +
  "bj bw bz ci cl cm cr dm gg gl gy hu id il im in io ir it je jp ke kr lc ls ma me mg mu mw mz na ni " +
  "nz om pn pw rs rw ss st sz th tj tm tt tz ug uk us uz ve vi za zm zw/com ac af ag ai al am ar au aw " +
  "az ba bb bh bi bj bm bn bo br bs bt by bz ci cm cn co cu cv cw cy dm do dz ec ee eg es et fj fm fr " +
  "ge gh gi gl gn gp gr gt gu gy hk hn hr ht im in io iq jo kg ki km kp kw ky kz la lb lc lk lr lv ly " +
  "mg mk ml mo ms mt mu mv mw mx my na nf ng ni nr om pa pe pf ph pk pl pr ps pt py qa re ro sa sb sc " +
  "sd sg sh sl sn so ss st sv sy tj tm tn to tr tt tw ua ug uy uz vc ve vi vn vu ws ye zm/conf au lv/" +
  "coop ar br ht in km mv mw py rw/cr it ua/cri br nz/cs in it/ct it us/d bg se/dr in tr/e bg se/eco " +
  "bj br/ed ao ci cr jp pw/edu ac af al ao ar au az ba bb bh bi bj bm bn bo br bs bt bz ci cn co cu cv " +
  "cw dm do dz ec ee eg es et fm gd ge gh gi gl gn gp gr gt gu gy hk hn ht in io iq it jo kg ki km kn " +
  "kp kw ky kz la lb lc lk lr ls lv ly me mg mk ml mn mo ms mt mv mw mx my mz ng ni nr om pa pe pf ph " +
  "pk pl pn pr ps pt py qa rs sa sb sc sd sg sl sn so ss st sv sy tj tm to tr tt tw ua uy vc ve vn vu " +
  "ws ye za zm/eng br jo pro/f bg se/fi cr it/fin ec tn/firm ht in nf ro ve/fm br it jo no/g bg se/gen " +
  "in nz tr/go ci cr id it jp ke kr pw th tj tz ug/gob ar bo cl cu do ec es gt hn mx ni pa pe pk sv ve/" +
  "gouv ci fr ht km ml sn/gov ac ae af al ao ar as au az ba bb bf bh bm bn br bs bt by bz cd cl cm cn " +
  "co cx cy dm do dz ec ee eg et fj gd ge gh gi gn gr gu gy hk ie il in io iq ir it jo kg ki km kn kp " +
  "kw kz la lb lc lk lr ls lt lv ly ma me mg mk ml mn mo mr ms mu mv mw my mz na ng nr om ph pk pl pn " +
  "pr ps pt py qa rs rw sa sb sc sd sg sh sl so ss sx sy tj tl tm tn to tr tt tw ua uk vc ve vn ws ye " +
  "za zm zw/gr it jp/gv ao at/h bg se/ha cn no/health nz vn/hi cn us/hl cn no/hotel hu lk tz/i bg ng " +
  "ph se/id au cv ir lv ly us vn/idv hk tw/in ni rs th ua us/ind br gt in kw tn/inf br cu mk/info az " +
  "bb bj bo ec eg et fj gu ht hu in ke ki la ls mv nf ni nr pl pr ro sd tn tr tt tz ve vn zm/int ar az " +
  "bo ci cv in la lk mv mw ni pt tj ve vn/io in vn/k bg se/k12 ec il tr vi/kr it ua/ks ua us/l bg se/" +
  "law pro za/lg jp ua/lom it no/lt it ua/ltd cy gi lk uk/m bg se/mb ca it/me eg in it ke so ss tz uk " +
  "us/med br ec ee ht ly om pa pro sa sd/media aero hu pl/mi it th us/mil ac ae al ar az ba bo br by " +
  "cl cn co cy do ec eg fj gh gt hn id in io iq jo kg km kr kz lv mg mv my mz ng ni no nz pe ph pl py " +
  "qa rw sh st sy tj tm to tr tt tw tz uy vc ve ye za zm zw/mn it us/mo cn it us/mobi gp ke ng tz/ms " +
  "it kr us/mt it us/museum mv no om/musica ar bo/n bg se/name az eg et fj hr mk mv my ng pr qa tj tr " +
  "tt vn/nat cu tn/nc tr us/ne jp ke kr tz ug us/net ac ae af ag ai al am ar au az ba bb bh bj bm bn " +
  "bo br bs bt bz ci cm cn co cu cv cw cy dm do dz ec eg et fj fm ge gg gl gn gp gr gt gu gy hk hn ht " +
  "id il im in io iq ir je jo kg ki kn kw ky kz la lb lc lk lr ls lv ly ma me mk ml mo ms mt mu mv mw " +
  "mx my mz na nf ng ni nr nz om pa pe ph pk pl pn pr ps pt py qa rw sa sb sc sd sg sh sl so ss st sy " +
  "th tj tm tn to tr tt tw ua uk uy uz vc ve vi vn vu ws ye za zm/ngo lk ph za/nic in tj za/nl ca no/" +
  "nm cn us/nom ag co es fr io km mg nc ni pa pe pl ro tm ve za/nome cv pt/nt au ca no ro/nu ca it/o " +
  "bg se/of by no/og ao it/or at bi ci cr id it jp ke kr mu pw th tz ug us/org ac ae af ag ai al am ao " +
  "ar au az ba bb bh bi bj bm bn bo br bs bt bw bz ci cn co cu cv cw cy dm do dz ec ee eg es et fj fm " +
  "ge gg gh gi gl gn gp gr gt gu gy hk hn ht hu il im in io iq ir je jo kg ki km kn kp kw ky kz la lb " +
  "lc lk lr ls lv ly ma me mg mk ml mn mo ms mt mu mv mw mx my mz na ng ni nr nz om pa pe pf ph pk pl " +
  "pn pr ps pt py qa ro rs rw sa sb sc sd se sg sh sl sn so ss st sv sy sz tj tm tn to tr tt tw ua ug " +
  "uk uy uz vc ve vi vn vu ws ye za zm zw/p bg se/pa it us/pc it pl/pe ca it kr/per jo la nf/perso ht " +
  "sn tn/pg in it/plc ly uk/pol dz ht tr/pp az se/pr it us/prd fr km mg/press aero cy ma se/presse km " +
  "ml/priv hu me no pl/pro az br cy ec fj ht in mv om pr tt vn/publ cv pt/r bg se/re it kr/rec br nf " +
  "ro ve/rel ht pl/rep br kp/res aero in/ri it us/s bg se/sa au cr it/sc cn ke kr ls tz ug us/sch ae " +
  "id ir jo lk ly ng qa sa ss zm/school ge nz za/sd cn us/sex hu pl/shop ht hu pl/sld do pa/soc dz lk/" +
  "sport eg hu/store bb nf ro st ve/t bg se/taxi aero br/te it ua/tec br ve/tm cy dz fr hu km mc no pl " +
  "ro se za/tn it us/tourism bj pl tn/tr it no/travel in pl/tur ar br/tv bb bo br eg im in it jo sd tr " +
  "tz/u bg se/univ bj sn/va it no us/vi it us/vt it us/w bg se/wa au us/web bo do gu id lk nf ni pk tj " +
  "tr ve za/wiki bo br/x bg se/y bg se/z bg se";

/** Every name of two labels below them is one. */
const WITH_ALL_NAMES: ReadonlySet<string> = new Set("bd ck er fk jm kh mm np pg".split(" "));

/** Whether a name, as it is stored, is a public suffix. One of a single label is no domain anyway. */
export function isPublicSuffix(name: string): boolean {
  const [label, topLevel, ...more] = name.split(".");
  if (label === undefined || topLevel === undefined || more.length > 0) return false;
  return WITH_ALL_NAMES.has(topLevel) || topLevelsBelow(label).includes(topLevel);
}

const topLevelsBelow = (label: string): readonly string[] => {
  const line = SUFFIXES.split("/").find((each) => each.startsWith(`${label} `));
  return line?.split(" ").slice(1) ?? [];
};
