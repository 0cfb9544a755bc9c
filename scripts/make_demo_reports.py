"""Make the demo's reports in ``assets/demo/reports``, the same bytes every time.

``python scripts/make_demo_reports.py`` writes them; ``--check`` writes nothing and exits 1 if a file differs;
``--out`` names another folder. They were written for this demo and are put together from the parts below: the first
answer of a question has all of them, the second leaves the reasons out, the third says little in many words, the
fourth misses the request. They answer two of the demo's questions, so that a judge can be tried out on them; the
scores in the demo's labels were not given for them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make_demo as demo  # noqa: E402  a script beside this one

FOLDER = HERE.parent / "assets" / "demo" / "reports"
Parts = Mapping[str, str]

HEAT_PUMPS: Parts = {
    "title": "# Heat pumps in apartment blocks built before 1945\n",
    "summary": (
        "A made-up report for a demo: no city, price or rate in it was looked up.\n\n"
        "Start with the control of the existing heating and the worst roofs, change radiators stair by stair, and buy "
        "heat pumps block by block once a whole stair runs on 55 °C.\n"
    ),
    "cases": (
        "## Three retrofits\n\n"
        "| city | flats | what was done | heat used before and after (kWh/m² a year) |\n"
        "| --- | --- | --- | --- |\n"
        "| Arnfeld | 84 | roof, cellar ceiling, larger radiators, one air source pump a block | 190, 118 |\n"
        "| Bellport | 60 | pumps alone, old radiators kept at 70 °C | 205, 171 |\n"
        "| Corwen | 120 | shared ground loop under the street, one pump a flat | 180, 102 |\n"
    ),
    "reasons": (
        "## Why the results differ\n\n"
        "- In Bellport the flow temperature stayed high, so that the pumps ran at a third of their rated efficiency in "
        "January: the radiators, not the pumps, decided.\n"
        "- Corwen's loop needed a permit for the street; it took two years, longer than the building work.\n"
        "- In Arnfeld one owner in six refused larger radiators. The law let the association go on stair by stair, and "
        "the last stairs followed when the first bills were known.\n"
    ),
    "order": (
        "## Order of measures for 2,000 flats\n\n"
        "1. Balance the existing heating and lower its curve: 0.3 million, one summer.\n"
        "2. Insulate roofs and cellar ceilings where tenants need not move: 6 million over three years.\n"
        "3. Change the radiators that are too small at 55 °C, about one in four.\n"
        "4. Buy pumps for the blocks that are ready, noise checked at the neighbours' windows.\n\n"
        "If money runs out after step 2, two fifths of the saving is there already. This order is wrong where gas is "
        "to be switched off by a fixed date: then step 4 leads.\n"
    ),
    "padding": (
        "## Introduction\n\n"
        "Heating is an important topic that matters to many people in many cities today. There are many opportunities "
        "and also many challenges, and it is important to consider all of them in a balanced and holistic way. Every "
        "building is different, every city is different, and every association has its own needs.\n\n"
        "## Discussion\n\n"
        "Heat pumps can be a good solution if they are planned well. If they are not planned well, they can be a less "
        "good solution. Stakeholders should be involved early, and the budget should be kept in mind at all times. In "
        "conclusion, a mix of suitable measures in a suitable order is recommended.\n"
    ),
    "missed": (
        "# Choosing a gas boiler for a detached house\n\n"
        "A made-up report for a demo. A condensing boiler of 18 kW fits most detached houses built after 1990. Compare "
        "three offers, ask for the noise level, and have the chimney checked. A smart thermostat saves some more.\n"
    ),
}

MEDICAL_ALLIANCES: Parts = {
    "title": "# 三个县域医共体的比较\n",
    "summary": (
        "本文为演示而写，其中的数字均为虚构。\n\n"
        "结论：总额包干加上人员统一管理最可能留住病人；人口流出县可以照搬药品目录和检查互认，不宜照搬打包付费。\n"
    ),
    "cases": (
        "## 三地做法\n\n"
        "| 县 | 付费方式 | 县域内就诊率（改革前、后） | 基层医务人员年收入 |\n"
        "| --- | --- | --- | --- |\n"
        "| 天长 | 总额包干，结余留用 | 78%，91% | 上升 22% |\n"
        "| 德清 | 总额预算，按绩效拨付 | 81%，88% | 上升 15% |\n"
        "| 尤溪 | 按人头打包，三成与健康指标挂钩 | 74%，86% | 上升 19% |\n"
    ),
    "reasons": (
        "## 差异从何而来\n\n"
        "- 天长的结余全部归医共体，县医院因此愿意把慢性病人交给乡镇卫生院。\n"
        "- 德清的财政较强，收入增长主要来自补贴，而不是结余；财政紧张时难以持续。\n"
        "- 同期异地就医结算放宽，会使就诊率下降，所以改革的实际作用可能比表中更大，但单凭前后对比无法确认。\n"
    ),
    "order": (
        "## 人口流出县可以推广什么\n\n"
        "1. 先做检查结果互认和统一药品目录，不依赖基金规模。\n"
        "2. 再做医生下沉，用县级编制解决留人问题。\n"
        "3. 参保人数连续三年下降的县不宜总额包干：基金池变小，推诿病人的风险上升。\n"
    ),
    "padding": (
        "## 引言\n\n"
        "医疗卫生事业关系到千家万户，具有十分重要的意义。近年来各地积极探索，取得了显著成效，积累了宝贵经验，"
        "同时也面临一些困难和挑战。\n\n"
        "## 讨论\n\n"
        "总体来看，三地因地制宜，各有特色，成效明显。今后应当加强领导，完善机制，统筹推进，不断提高服务水平，"
        "努力满足人民群众日益增长的健康需要。综上所述，好的做法值得推广，不足之处有待改进。\n"
    ),
    "missed": (
        "# 大城市三甲医院的门诊预约\n\n"
        "本文为演示而写。建议患者提前七天通过手机预约，错峰就诊，并带齐既往检查资料。复诊患者可以选择线上问诊。\n"
    ),
}

WHOLE = ("title", "summary", "cases", "reasons", "order")
ANSWERS: Sequence[Sequence[str]] = (WHOLE, ("title", "summary", "cases", "order"), ("title", "padding"), ("missed",))
QUESTIONS: Mapping[int, Parts] = {2: MEDICAL_ALLIANCES, 5: HEAT_PUMPS}


def report_files() -> dict[str, bytes]:
    """Make every report, by its path."""
    return {
        f"Report{question}/Doc_{number:03d}.md": "\n".join(parts[name] for name in names).encode()
        for question, parts in QUESTIONS.items()
        for number, names in enumerate(ANSWERS, start=1)
    }


if __name__ == "__main__":
    demo.main(made=report_files, folder=FOLDER, script="make_demo_reports.py")
